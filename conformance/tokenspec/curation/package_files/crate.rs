//! Every golden beside the request it answers. Without the feature `serde` a case is a line of JSON.

pub mod wire;

/// The JSON lines of each area.
pub const FILES: &[(&str, &str)] = &[
    // FILES
];

/// The cases of an area, a JSON object each; none where the area is not here.
pub fn lines(area: &str) -> impl Iterator<Item = &'static str> {
    FILES.iter().find(|(name, _)| *name == area).map_or("", |(_, text)| text).lines()
}

/// The tokenizer folder of a toy row.
pub fn row_folder(row: &str) -> std::path::PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "rows", row].iter().collect()
}

/// A golden and its request, as types of `wire` or as `serde_json::Value`.
#[cfg(feature = "serde")]
#[derive(Clone, Debug, serde::Deserialize)]
pub struct Case<Request, Expect> {
    pub area: String,
    pub row: String,
    pub case: String,
    pub operation: String,
    pub request: Request,
    pub outcome: String,
    pub expect: Option<Expect>,
    pub error: Option<String>,
    pub flags: Vec<String>,
    pub requires: Vec<String>,
    pub why: String,
}

/// The cases of an area, typed.
#[cfg(feature = "serde")]
pub fn cases<Request, Expect>(area: &str) -> impl Iterator<Item = serde_json::Result<Case<Request, Expect>>>
where
    Request: serde::de::DeserializeOwned,
    Expect: serde::de::DeserializeOwned,
{
    lines(area).map(serde_json::from_str)
}
