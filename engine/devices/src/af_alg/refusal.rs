//! Why the kernel gives no socket, in a sentence that says what to type.

use nix::errno::Errno;

use ciphermark_providers::api::Unusable;

pub fn of(errno: Errno) -> Unusable {
    let cure = match errno {
        Errno::EAFNOSUPPORT => {
            "load its module (modprobe af_alg), or use a kernel that was built with \
             CONFIG_CRYPTO_USER_API_SKCIPHER, _AEAD and _HASH"
        }
        Errno::EPERM | Errno::EACCES => {
            "allow the address family AF_ALG in the filter of the container or service that this \
             runs in"
        }
        Errno::EMFILE | Errno::ENFILE => "allow more open files (ulimit -n)",
        _ => "`dmesg` may say why",
    };
    Unusable(format!("this kernel refuses AF_ALG sockets ({}): {cure}", errno.desc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_is_wrong_and_what_to_do() {
        let sentence = of(Errno::EAFNOSUPPORT).to_string();
        let start =
            "this kernel refuses AF_ALG sockets (Address family not supported by protocol): ";
        assert!(sentence.starts_with(start), "{sentence}");
        assert!(sentence.contains("modprobe af_alg"), "{sentence}");
        let filtered = of(Errno::EPERM).to_string();
        assert!(filtered.contains("(Operation not permitted): allow"), "{filtered}");
    }
}
