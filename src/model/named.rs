//! Enums whose values have names, in rows and in answers.

/// Declares an enum with the name of each value, and the functions between the two.
macro_rules! named {
    ($(#[$about:meta])* pub enum $enum:ident {
        $($(#[$note:meta])* $value:ident = $name:literal,)+
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $enum {
            $($(#[$note])* $value,)+
        }

        impl $enum {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == name)
            }
        }
    };
}
pub(crate) use named;
