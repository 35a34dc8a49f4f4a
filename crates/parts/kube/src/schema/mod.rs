//! The shapes of built-in objects: fields, their types, how lists merge, defaults.
//!
//! *Knows*: fields. *Must not know*: their effects; validation finds values that fit their type but are invalid.
//! Source: `kubernetes/api` (types with their `patchStrategy` and `patchMergeKey`), `kubernetes/kubernetes:
//! pkg/apis/*/v1/defaults.go` for plain defaults. Match for the listed fields; others are dropped, as the API server drops
//! unknown ones.

mod conform;
mod kinds;
mod pod;
mod policies;
mod unknown;

pub use conform::Mismatch;
pub(crate) use conform::conform;
pub(crate) use kinds::shape_of;
pub use unknown::Unknown;
pub(crate) use unknown::unknown_fields;

/// The shape of metadata.
pub(crate) static META: Shape = Shape::Of(&pod::OBJECT_META);
/// Shape of the subresource `scale`.
pub(crate) static SCALE_SHAPE: Shape = Shape::Of(&kinds::SCALE);

/// The type of a field.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// Text.
    Str,
    /// Whole number of 32 bits.
    Int,
    /// Whole number of 64 bits.
    Long,
    /// Truth value.
    Bool,
    /// Number or text.
    IntOrStr,
    /// Resource quantity: text or number.
    Quantity,
    /// Plain data of any shape.
    Any,
    /// Values by name.
    Map(&'static Shape),
    /// A list that is replaced as a whole.
    List(&'static Shape),
    /// A list of texts that merges as a set.
    Set,
    /// A list of objects that merges by a key.
    Keyed(&'static Struct, &'static str),
    /// The same, whose items lose the fields that a newer one does not name.
    KeyedRetain(&'static Struct, &'static str),
    /// An object.
    Of(&'static Struct),
    /// An object that loses the fields that a newer one does not name.
    Retain(&'static Struct),
}

/// The value where nothing is written.
#[derive(Clone, Copy)]
pub(crate) enum Given {
    Nothing,
    Text(&'static str),
    Number(i64),
    Truth(bool),
}

/// An object's fields.
pub(crate) struct Struct {
    /// As Go calls it; mismatches name it.
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [(&'static str, Shape, Given)],
}

impl Struct {
    pub(crate) fn field(&self, name: &str) -> Option<&(&'static str, Shape, Given)> {
        self.fields.iter().find(|(field, ..)| *field == name)
    }
}

impl Shape {
    /// The shape of a field of an object of this shape.
    pub(crate) fn field(&self, name: &str) -> Shape {
        match self {
            Self::Of(of) | Self::Retain(of) | Self::Keyed(of, _) | Self::KeyedRetain(of, _) => {
                of.field(name).map_or(Self::Any, |(_, shape, _)| *shape)
            }
            Self::Map(inner) => **inner,
            _ => Self::Any,
        }
    }
}

/// Makes tables of fields: `Name { field: shape, field: shape = default }`.
macro_rules! structs {
    ($($const:ident = $name:literal { $($field:ident: $shape:expr $(=> $given:expr)?),* $(,)? })*) => {
        $(pub(crate) static $const: $crate::schema::Struct = $crate::schema::Struct {
            name: $name,
            fields: &[$((stringify!($field), $shape, $crate::schema::given!($($given)?))),*],
        };)*
    };
}
pub(crate) use structs;

macro_rules! given {
    () => {
        $crate::schema::Given::Nothing
    };
    ($given:expr) => {
        $given
    };
}
pub(crate) use given;
