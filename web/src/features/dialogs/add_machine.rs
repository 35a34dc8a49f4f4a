//! Machines to bring in now.

use crate::store::{Action, state, use_hub};
use crate::ui::{Button, Dialog};
use planarium_protocol::Amount;
use planarium_protocol::input::{AddAgent, Input, Resources};
use std::collections::BTreeMap;
use yew::prelude::*;

/// Values of the form.
#[derive(Clone, Debug, PartialEq)]
struct Form {
    count: String,
    hostname: String,
    cpus: String,
    mem_gib: String,
    disk_gib: String,
    gpus: String,
    zone: String,
    attributes: String,
}

impl Default for Form {
    fn default() -> Self {
        let text = ToOwned::to_owned;
        Self {
            count: text("1"),
            hostname: String::new(),
            cpus: text("8"),
            mem_gib: text("32"),
            disk_gib: text("200"),
            gpus: text("0"),
            zone: String::new(),
            attributes: String::new(),
        }
    }
}

impl Form {
    /// Returns the input, or the fault.
    fn read(&self) -> Result<AddAgent, String> {
        let number = |text: &str, name: &str| {
            text.trim()
                .parse::<u32>()
                .map(i64::from)
                .map_err(|_| format!("{name} must be a whole number from 0 to {}", u32::MAX))
        };
        let tenths = |text: &str| {
            let value =
                planarium_kernel::float::parse(text.trim()).filter(|value| (0.0..=1.0e6).contains(value));
            #[expect(clippy::cast_possible_truncation, reason = "checked range just above")]
            let amount = value.map(|value| Amount((value * 1000.0).round() as i64));
            amount.ok_or_else(|| "CPUs must be a number such as 4 or 0.5".to_owned())
        };
        let count = number(&self.count, "The number of machines")?;
        if !(1..=1000).contains(&count) {
            return Err("The number of machines must be from 1 to 1000".to_owned());
        }
        let gpus = number(&self.gpus, "GPUs")?;
        let mut attributes = BTreeMap::new();
        for line in self.attributes.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, value) =
                line.split_once(':').ok_or_else(|| format!("`{line}` is not of the form name:value"))?;
            attributes.insert(name.trim().to_owned(), value.trim().to_owned());
        }
        let given = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        Ok(AddAgent {
            count: u32::try_from(count).ok(),
            hostname: given(&self.hostname),
            resources: Resources {
                cpus: Some(tenths(&self.cpus)?),
                mem: Some(Amount::whole(number(&self.mem_gib, "Memory")? * 1024)),
                disk: Some(Amount::whole(number(&self.disk_gib, "Disk")? * 1024)),
                gpus: (gpus > 0).then(|| Amount::whole(gpus)),
                ports: Some("[1025-32000]".to_owned()),
                disks: Vec::new(),
            },
            attributes,
            zone: given(&self.zone),
            region: given(&self.zone).map(|_| "region-1".to_owned()),
            ..AddAgent::default()
        })
    }
}

/// The dialog.
#[component]
pub(super) fn AddMachine() -> Html {
    let hub = use_hub();
    // Closures of an earlier draw also read the present value.
    let form = use_state_eq(Form::default);
    let field = |label: &'static str, value: &str, write: fn(&mut Form, String)| {
        let form = form.clone();
        let oninput = Callback::from(move |event: InputEvent| {
            let mut next = (*form).clone();
            write(&mut next, super::value_of(&event));
            form.set(next);
        });
        html! {
            <label class="field"><span>{ label }</span><input value={value.to_owned()} {oninput} autocomplete="off" /></label>
        }
    };
    let refused = form.read().err().map(AttrValue::from);
    let add = {
        let (hub, form) = (hub.clone(), form.clone());
        Callback::from(move |_| {
            if let Ok(add) = form.read() {
                hub.finish(&state::Dialog::AddMachine, Action::Do(Box::new(Input::AddAgent(add))));
            }
        })
    };
    let attributes = {
        let form = form.clone();
        Callback::from(move |event: InputEvent| {
            form.set(Form { attributes: super::value_of(&event), ..(*form).clone() });
        })
    };
    html! {
        <Dialog title="Add machines" onclose={hub.act(Action::CloseDialog)}>
            <div class="form-grid">
                { field("How many", &form.count, |form, text| form.count = text) }
                { field("Hostname, {n} counts up", &form.hostname, |form, text| form.hostname = text) }
                { field("CPUs", &form.cpus, |form, text| form.cpus = text) }
                { field("Memory in GiB", &form.mem_gib, |form, text| form.mem_gib = text) }
                { field("Disk in GiB", &form.disk_gib, |form, text| form.disk_gib = text) }
                { field("GPUs", &form.gpus, |form, text| form.gpus = text) }
                { field("Zone", &form.zone, |form, text| form.zone = text) }
            </div>
            <label class="field">
                <span>{ "Attributes, one name:value per line" }</span>
                <textarea rows="2" class="mono" placeholder="rack:r1" oninput={attributes} />
            </label>
            <div class="button-row">
                <Button label="Add" icon="plus" look="primary" {refused} looks=true onclick={add} />
            </div>
        </Dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_common_notations() {
        let form = Form {
            count: " 2 ".into(),
            cpus: "0.5".into(),
            gpus: "4".into(),
            zone: "a".into(),
            attributes: "rack: r1\n\n".into(),
            ..Form::default()
        };
        let add = form.read().expect("a good form");
        assert_eq!(
            (add.count, add.resources.cpus, add.resources.gpus),
            (Some(2), Some(Amount(500)), Some(Amount(4000)))
        );
        assert_eq!(add.resources.mem, Some(Amount(32 * 1024 * 1000)));
        assert_eq!(
            (add.attributes["rack"].as_str(), add.zone.as_deref(), add.hostname),
            ("r1", Some("a"), None)
        );
    }

    #[test]
    fn reports_faults() {
        type Write = fn(&mut Form);
        let table: [(Write, &str); 5] = [
            (|f| f.count = "0".into(), "1 to 1000"),
            (|f| f.count = "many".into(), "whole number"),
            (|f| f.cpus = "-1".into(), "CPUs"),
            (|f| f.disk_gib = "1.5".into(), "Disk"),
            (|f| f.attributes = "rack".into(), "name:value"),
        ];
        for (write, want) in table {
            let mut form = Form::default();
            write(&mut form);
            let error = form.read().expect_err(want);
            assert!(error.contains(want), "{error}");
        }
    }
}
