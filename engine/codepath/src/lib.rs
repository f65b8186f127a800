use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CodePath {
    pub features: Vec<String>,
}
pub struct Unavailable(pub String);
pub fn trace(_: &mut dyn FnMut(), _: u32) -> Result<CodePath, Unavailable> {
    Err(Unavailable(String::new()))
}
pub fn name(_: &[String]) -> String {
    String::new()
}
pub fn same(a: &CodePath, b: &CodePath) -> bool {
    a == b
}
