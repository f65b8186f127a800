//! The kernel's drivers, as `/proc/crypto` lists them.

use std::collections::HashMap;
use std::fs;

use super::socket::{Address, Type};

pub struct Drivers(Vec<Driver>);

struct Driver {
    name: String,
    driver: String,
    algorithm_type: Type,
    priority: u32,
}

impl Drivers {
    /// Those of the running kernel; none where it does not tell.
    pub fn read() -> Self {
        Self::parse(&fs::read_to_string("/proc/crypto").unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        Self(text.split("\n\n").filter_map(Driver::parse).collect())
    }

    /// The driver that the kernel takes for the algorithm: that of the highest priority.
    pub fn of(&self, address: Address) -> Option<&str> {
        let fits =
            |it: &&Driver| it.name == address.name && it.algorithm_type == address.algorithm_type;
        let taken = self.0.iter().filter(fits).max_by_key(|driver| driver.priority);
        taken.map(|driver| driver.driver.as_str())
    }
}

impl Driver {
    /// An entry; none for what sockets cannot be bound to, as parts that only other drivers may use.
    fn parse(entry: &str) -> Option<Self> {
        let fields: HashMap<&str, &str> = entry
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(field, value)| (field.trim(), value.trim()))
            .collect();
        let algorithm_type = match *fields.get("type")? {
            "skcipher" | "lskcipher" => Type::Skcipher,
            "aead" => Type::Aead,
            "shash" | "ahash" => Type::Hash,
            _ => return None,
        };
        let is_internal = fields.get("internal") == Some(&"yes");
        (!is_internal).then_some(Self {
            name: (*fields.get("name")?).to_owned(),
            driver: (*fields.get("driver")?).to_owned(),
            algorithm_type,
            priority: fields.get("priority")?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, driver: &str, kind: &str, priority: u32, internal: &str) -> String {
        format!(
            "name         : {name}\ndriver       : {driver}\nmodule       : kernel\n\
             priority     : {priority}\nrefcnt       : 1\nselftest     : passed\n\
             internal     : {internal}\ntype         : {kind}\nblocksize    : 16\n"
        )
    }

    #[test]
    fn the_driver_of_the_highest_priority_is_taken() {
        let listing = [
            entry("cbc(aes)", "cbc(aes-generic)", "skcipher", 100, "no"),
            entry("cbc(aes)", "cbc-aes-aesni", "skcipher", 400, "no"),
            entry("cbc(aes)", "hidden", "skcipher", 500, "yes"),
            entry("cbc(aes)", "another type", "aead", 600, "no"),
            entry("aes", "aes-generic", "cipher", 700, "no"),
            entry("sha256", "sha256-ni", "shash", 250, "no"),
        ]
        .join("\n");
        let drivers = Drivers::parse(&listing);
        let of = |algorithm_type, name| drivers.of(Address { algorithm_type, name });
        assert_eq!(of(Type::Skcipher, "cbc(aes)"), Some("cbc-aes-aesni"));
        assert_eq!(of(Type::Hash, "sha256"), Some("sha256-ni"));
        assert_eq!(of(Type::Skcipher, "aes"), None);
        assert_eq!(of(Type::Hash, "md5"), None);
    }
}
