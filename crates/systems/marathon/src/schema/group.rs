//! The shape of a change of a group.
//!
//! **Source**: `marathon: …/types/group.raml`. Match.

use super::{AMOUNT, Kind, PATH, Shape, TEXT, TEXT_LIST, list, optional};

/// A change of a group. Apps and groups in it are read one by one, each with its own rules.
pub(crate) static GROUP: Shape = Shape {
    fields: &[
        optional("id", PATH),
        optional("apps", list(&Kind::Object(&super::app::APP))),
        optional("groups", list(&Kind::Object(&INNER_GROUP))),
        optional("dependencies", TEXT_LIST),
        optional("scaleBy", AMOUNT),
        optional("version", TEXT),
        optional("enforceRole", Kind::Boolean),
    ],
};

/// A group within another; it has to say who it is.
static INNER_GROUP: Shape = Shape {
    fields: &[
        super::required("id", PATH),
        optional("apps", list(&Kind::Object(&super::app::APP))),
        optional("groups", list(&Kind::Object(&INNER_GROUP))),
        optional("dependencies", TEXT_LIST),
        optional("scaleBy", AMOUNT),
        optional("version", TEXT),
        optional("enforceRole", Kind::Boolean),
    ],
};

/// Fields of a group that may be changed without a deployment.
pub(crate) static GROUP_PATCH: Shape = Shape { fields: &[optional("enforceRole", Kind::Boolean)] };

/// Fields that answers carry and requests may, without an effect.
pub(crate) const OUTPUT_ONLY: [&str; 1] = ["pods"];
