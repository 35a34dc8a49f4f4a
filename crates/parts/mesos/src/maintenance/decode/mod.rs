//! Reads request bodies by the real system's rules for reading messages from JSON.
//!
//! Unknown keys are ignored; `null` is the same as absent; numbers and truth values may be written as text; a single
//! value is accepted as a list; a value of another type and a missing required field are refused. Values are
//! validated later.
//!
//! *Order* of faults: not JSON, not an object or array, then types in the order in which the real reader
//! meets them (keys in alphabetical order), and finally missing fields, all of them at once.
//! Source: `apache/mesos: 3rdparty/stout/include/stout/protobuf.hpp`, `src/master/http.cpp`. Match, except
//! that a number outside 64 bits is refused where the real reader wraps it around.

mod operator;
mod reader;
mod refuse;

pub use operator::{OperatorCall, operator_call};
pub use refuse::refuse_ms;

use super::{MachineId, Refused, Schedule, Unavailability, Window};
use reader::{Fields, Path, Reader};
use serde_json::Value;

/// The body as JSON.
pub fn body(bytes: &[u8]) -> Result<Value, Refused> {
    serde_json::from_slice(bytes).map_err(|error| Refused::NotJson(error.to_string().into()))
}

/// A schedule: the body of `POST /maintenance/schedule`.
pub fn schedule(body: &Value) -> Result<Schedule, Refused> {
    let fields = Fields::of(body)?;
    let mut reader = Reader::default();
    let schedule = read_schedule(&mut reader, &fields, &Path::ROOT)?;
    reader.finish()?;
    Ok(schedule)
}

/// A list of machines: the body of `POST /machine/down` and `POST /machine/up`. Here a single object is not
/// enough.
pub fn machine_list(body: &Value) -> Result<Vec<MachineId>, Refused> {
    let Value::Array(elements) = body else { return Err(Refused::NotAnArray) };
    elements.iter().map(|element| read_machine(&Fields::of(element)?)).collect()
}

fn read_schedule(reader: &mut Reader, fields: &Fields, path: &Path) -> Result<Schedule, Refused> {
    let mut windows = Vec::new();
    for (row, window) in fields.messages("windows")?.iter().enumerate() {
        let path = path.element("windows", row);
        let machine_ids = read_machines(window, "machine_ids")?;
        let unavailability = match window.message("unavailability")? {
            Some(fields) => read_unavailability(reader, &fields, &path.field("unavailability"))?,
            None => reader.missing(&path.field("unavailability")),
        };
        windows.extend(unavailability.map(|unavailability| Window { machine_ids, unavailability }));
    }
    Ok(Schedule { windows })
}

fn read_unavailability(
    reader: &mut Reader,
    fields: &Fields,
    path: &Path,
) -> Result<Option<Unavailability>, Refused> {
    let read = |field| fields.message(field)?.map(|time| time.int("nanoseconds")).transpose();
    let (duration, start) = (read("duration")?, read("start")?);
    if start.is_none() {
        reader.missing::<()>(&path.field("start"));
    }
    for (field, value) in [("start", start), ("duration", duration)] {
        if value == Some(None) {
            reader.missing::<()>(&path.field(field).field("nanoseconds"));
        }
    }
    Ok(start.flatten().map(|start_ns| Unavailability { start_ns, duration_ns: duration.flatten() }))
}

fn read_machines(fields: &Fields, field: &'static str) -> Result<Vec<MachineId>, Refused> {
    fields.messages(field)?.iter().map(read_machine).collect()
}

fn read_machine(fields: &Fields) -> Result<MachineId, Refused> {
    Ok(MachineId { hostname: fields.text("hostname")?, ip: fields.text("ip")? })
}
