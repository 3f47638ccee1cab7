//! The fields of a request's JSON.
//!
//! JSON goes in; values of the types that are asked for come out, or a refusal that names the field. A
//! field that is left out, or `null`, is not given; one of another type is never taken for that.

use crate::describe;
use serde_json::{Map, Value};
use surefoot_bake::BakeSettings;

/// Why a request is refused: the status, and the words for the page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) why: String,
}

impl From<String> for Refused {
    /// What was understood and cannot be done.
    fn from(why: String) -> Self {
        Self { status: 422, why }
    }
}

impl From<&str> for Refused {
    fn from(why: &str) -> Self {
        why.to_owned().into()
    }
}

impl Refused {
    /// What was not understood.
    pub(crate) fn malformed(why: impl Into<String>) -> Self {
        Self { status: 400, why: why.into() }
    }
}

/// A JSON object.
#[derive(Debug)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// The fields of a request, which has none where it is `null`.
    pub(crate) fn of(request: Value) -> Result<Self, Refused> {
        match request {
            Value::Object(fields) => Ok(Self(fields)),
            Value::Null => Ok(Self(Map::new())),
            other => Err(Refused::malformed(format!(
                "the request is {}; send an object of fields",
                kind(&other)
            ))),
        }
    }

    fn get<T>(
        &self,
        name: &str,
        wanted: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, Refused> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| {
                Refused::malformed(format!("`{name}` is {}; give {wanted}", kind(value)))
            }),
        }
    }

    pub(crate) fn switch(&self, name: &str) -> Result<Option<bool>, Refused> {
        self.get(name, "true or false", Value::as_bool)
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Refused> {
        self.get(name, "text", |v| v.as_str().map(str::to_owned))
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, Refused> {
        self.get(name, "a number", Value::as_f64)
    }

    pub(crate) fn whole_number(&self, name: &str) -> Result<Option<u64>, Refused> {
        self.get(name, "a whole number from zero up", Value::as_u64)
    }

    /// The same where no more than 32 bits are expected.
    pub(crate) fn count(&self, name: &str) -> Result<Option<u32>, Refused> {
        let read = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok());
        self.get(name, "a whole number from zero to four thousand million", read)
    }

    /// The settings by their keys.
    pub(crate) fn settings(&self) -> Result<Option<BakeSettings>, Refused> {
        let values = self
            .get("settings", "an object of values by key", |v| v.is_object().then(|| v.clone()))?;
        values.map(|v| describe::settings_from(&v)).transpose().map_err(Refused::malformed)
    }
}

/// What a value is, in words.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(n) if n.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_of_another_type_is_refused_by_its_name() {
        let fields = Fields::of(json!({
            "settings": 5, "watch": "yes", "samples": 0.5, "size": -1, "name": ["floors"], "rotate": {},
            "seed": null,
        }))
        .unwrap();
        let refused = [
            ("settings", fields.settings().map(drop)),
            ("watch", fields.switch("watch").map(drop)),
            ("samples", fields.whole_number("samples").map(drop)),
            ("size", fields.count("size").map(drop)),
            ("name", fields.text("name").map(drop)),
            ("rotate", fields.number("rotate").map(drop)),
        ];
        for (name, outcome) in refused {
            let Refused { status, why } = outcome.unwrap_err();
            assert!(status == 400 && why.contains(&format!("`{name}`")), "{name}: {status} {why}");
        }
        assert_eq!(fields.whole_number("seed"), Ok(None));
        assert_eq!(fields.whole_number("nothing"), Ok(None));
        for no_object in [json!(5), json!([1]), json!("x"), json!(true)] {
            assert_eq!(Fields::of(no_object).unwrap_err().status, 400);
        }
        let inside = Fields::of(json!({ "settings": { "agent.height": "tall" } })).unwrap();
        let Refused { status, why } = inside.settings().unwrap_err();
        assert!(status == 400 && why.contains("Height"), "{why}");
    }
}
