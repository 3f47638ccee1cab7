//! How a setting is declared: once, with all that anybody has to know of it.
//!
//! `declare_settings!` makes a struct of settings from lines that each hold a field, its default and
//! what is said of it; the field's documentation is also the help that people read. Out come the struct,
//! its `Default` and its part of the table of settings, from which ranges are checked, command lines,
//! files and panels are read, and help is printed. The names that a declaration uses are those of where
//! it stands.

use super::area_rule::AreaRule;

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SettingKind {
    /// A number.
    Number(NumberRange),
    /// One of several.
    Choice(&'static [SettingChoice]),
    /// On or off.
    Switch,
    /// A direction: three numbers, not all zero.
    Direction,
    /// Any number of points.
    Points,
    /// Any number of area types with patterns of tags.
    Areas,
    /// Any number of patterns of tags.
    Patterns,
}

/// What numbers a setting takes, in the unit that people use: metres, degrees, cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberRange {
    /// The unit.
    pub unit: &'static str,
    /// The least value, or the one that it must lie above.
    pub low: f64,
    /// Whether it must lie above `low`.
    pub is_above_low: bool,
    /// The greatest value; [`f64::MAX`] for none.
    pub high: f64,
    /// Whether it counts something, so that only whole numbers will do.
    pub is_whole: bool,
    /// What zero stands for, where it is allowed beside the range.
    pub zero: Option<&'static str>,
    /// What a slider should span.
    pub usual: [f64; 2],
    /// The step of a slider.
    pub step: f64,
}

/// One of the values of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingChoice {
    /// Its name in programs.
    pub name: &'static str,
    pub(super) documentation: &'static str,
}

/// A value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A number in the setting's unit.
    Number(f64),
    /// The name of a choice.
    Choice(String),
    /// On or off.
    Switch(bool),
    /// A direction.
    Direction([f64; 3]),
    /// Points.
    Points(Vec<[f64; 3]>),
    /// Area types with patterns of tags.
    Areas(Vec<AreaRule>),
    /// Patterns of tags.
    Patterns(Vec<String>),
}

const fn number(unit: &'static str, low: f64, high: f64) -> NumberRange {
    NumberRange {
        unit,
        low,
        is_above_low: false,
        high,
        is_whole: false,
        zero: None,
        usual: [low, high],
        step: 0.01,
    }
}

/// A length from one number of metres to another.
pub(super) const fn metres(low: f64, high: f64) -> NumberRange {
    number("m", low, high)
}

/// A length above zero, in metres.
pub(super) const fn metres_above_zero(high: f64) -> NumberRange {
    NumberRange { is_above_low: true, ..metres(0.0, high) }
}

/// An area of any size.
pub(super) const fn square_metres() -> NumberRange {
    number("m²", 0.0, f64::MAX)
}

/// A slope above the horizontal and well below the vertical; held in radians.
pub(super) const fn slope() -> NumberRange {
    NumberRange { is_above_low: true, ..number(DEGREES, 0.0, 85.0) }
}

/// The unit of angles, which settings hold in radians.
pub(super) const DEGREES: &str = "°";

/// So many of something, in parts too.
pub(super) const fn multiples(unit: &'static str, high: f64) -> NumberRange {
    number(unit, 0.0, high)
}

/// A whole number of something, or zero, which stands for something else.
pub(super) const fn count_or_zero(
    unit: &'static str,
    low: f64,
    high: f64,
    zero: &'static str,
) -> NumberRange {
    NumberRange { is_whole: true, zero: Some(zero), ..number(unit, low, high) }
}

impl NumberRange {
    /// As a setting whose slider has this range and step.
    pub(super) const fn slider(self, low: f64, high: f64, step: f64) -> SettingKind {
        SettingKind::Number(Self { usual: [low, high], step, ..self })
    }

    /// Whether a build accepts the number, as far as it alone can tell.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        // Written so that NaN fails.
        let is_low_enough = value <= self.high;
        let is_high_enough = if self.is_above_low { value > self.low } else { value >= self.low };
        let is_zero = self.zero.is_some() && value.abs() <= 0.0;
        is_low_enough && is_high_enough || is_zero
    }
}

/// In words: `above 0 and at most 1000 m`.
impl std::fmt::Display for NumberRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { low, high, unit, .. } = self;
        let space = if *unit == DEGREES { "" } else { " " };
        match (self.is_above_low, *high < f64::MAX) {
            (false, true) => write!(f, "from {low} to {high}{space}{unit}")?,
            (true, true) => write!(f, "above {low} and at most {high}{space}{unit}")?,
            (false, false) => write!(f, "{low}{space}{unit} or more")?,
            (true, false) => write!(f, "above {low}{space}{unit}")?,
        }
        self.zero.map_or(Ok(()), |zero| write!(f, ", or 0 for {zero}"))
    }
}

/// What settings are made of: a value that a field holds, as people see it.
pub(super) trait Field {
    fn shown(&self) -> SettingValue;

    /// Takes a value over; whether it is one of the field's.
    fn take(&mut self, value: &SettingValue) -> bool;
}

impl Field for f64 {
    fn shown(&self) -> SettingValue {
        SettingValue::Number(*self)
    }

    fn take(&mut self, value: &SettingValue) -> bool {
        let SettingValue::Number(v) = *value else { return false };
        *self = v;
        v.is_finite()
    }
}

impl Field for u32 {
    fn shown(&self) -> SettingValue {
        SettingValue::Number(f64::from(*self))
    }

    fn take(&mut self, value: &SettingValue) -> bool {
        let SettingValue::Number(v) = *value else { return false };
        let is_whole = v.fract().abs() <= 0.0 && (0.0..=f64::from(Self::MAX)).contains(&v);
        *self = v as Self;
        is_whole
    }
}

/// Fields that hold what a value does.
macro_rules! field_of {
    ($type:ty, $variant:ident) => {
        impl Field for $type {
            fn shown(&self) -> SettingValue {
                SettingValue::$variant(self.clone())
            }

            fn take(&mut self, value: &SettingValue) -> bool {
                let SettingValue::$variant(v) = value else { return false };
                self.clone_from(v);
                true
            }
        }
    };
}
field_of!(bool, Switch);
field_of!([f64; 3], Direction);
field_of!(Vec<[f64; 3]>, Points);
field_of!(Vec<AreaRule>, Areas);
field_of!(Vec<String>, Patterns);

/// A field's line of the table: how it is read and set, then what is said of it. Without its method a
/// setting has its default, and what is set is looked at and goes nowhere.
macro_rules! declare_setting {
    ($part:ty, $field:ident, $documentation:expr, { $($said:tt)* }, $base:expr) => {
        SettingInfo {
            documentation: $documentation,
            get: |settings| {
                <$part as Part>::of(settings)
                    .map_or_else(|| <$part>::default().$field.shown(), |part| part.$field.shown())
            },
            set: |settings, value| {
                match <$part as Part>::of_mut(settings) {
                    Some(part) => part.$field.take(value),
                    None => <$part>::default().$field.take(value),
                }
            },
            $($said)*,
            ..$base
        }
    };
}

/// A struct of settings: `field: type = default, { what is said of it };`. Fields that have no
/// line of their own in the table stand before them, after `with`.
macro_rules! declare_settings {
    (
        $(#[$about:meta])*
        pub struct $name:ident
            $(with { $( $(#[doc = $part_doc:literal])* $part:ident: $part_type:ty; )* })?
            like $base:expr;
        $(
            $(#[doc = $doc:literal])*
            $field:ident: $type:ty = $default:expr, { $($said:tt)* };
        )*
    ) => {
        $(#[$about])*
        pub struct $name {
            $($( $(#[doc = $part_doc])* pub $part: $part_type, )*)?
            $(
                $(#[doc = $doc])*
                #[doc = concat!("\n\nDefault: `", stringify!($default), "`.")]
                pub $field: $type,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($( $part: Default::default(), )*)? $( $field: $default, )* }
            }
        }

        impl $name {
            pub(super) const TABLE: &'static [SettingInfo] = &[
                $( declare_setting!($name, $field, concat!($($doc),*), { $($said)* }, $base), )*
            ];
        }
    };
}

/// An enum whose values have names: `Variant = "name"`. The first is the default.
macro_rules! declare_choices {
    (
        $(#[doc = $about:literal])*
        pub enum $name:ident {
            $(#[doc = $first_doc:literal])* $first:ident = $first_name:literal,
            $( $(#[doc = $doc:literal])* $variant:ident = $variant_name:literal, )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        pub enum $name {
            $(#[doc = $first_doc])* #[default] $first,
            $( $(#[doc = $doc])* $variant, )*
        }

        impl $name {
            /// All of them, in order, with what they mean.
            pub const CHOICES: &'static [SettingChoice] = &[
                SettingChoice {
                    name: $first_name,
                    documentation: concat!($($first_doc),*),
                },
                $( SettingChoice {
                    name: $variant_name,
                    documentation: concat!($($doc),*),
                }, )*
            ];

            /// Its name in programs and files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { Self::$first => $first_name, $( Self::$variant => $variant_name, )* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $first_name => Ok(Self::$first),
                    $( $variant_name => Ok(Self::$variant), )*
                    _ => Err(UnknownName::new(text, Self::CHOICES)),
                }
            }
        }

        impl Field for $name {
            fn shown(&self) -> SettingValue {
                SettingValue::Choice(self.name().to_owned())
            }

            fn take(&mut self, value: &SettingValue) -> bool {
                let SettingValue::Choice(name) = value else {
                    return false;
                };
                name.parse().map(|choice| *self = choice).is_ok()
            }
        }
    };
}

pub(super) use {declare_choices, declare_setting, declare_settings};
