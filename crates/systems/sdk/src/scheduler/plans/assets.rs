//! Numbers of the assets that steps work on.

use crate::scheduler::requirement::Requirement;
use planarium_kernel::Map;
use planarium_plan::Asset;
use planarium_protocol::Text;
use std::sync::Arc;

/// Numbers for pod instances and tasks, as the plan crate wants them: a pod instance has one already.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assets {
    parts: Map<Text, u32>,
    /// The last list of tasks with an asset that works on it: steps that launch the same share theirs.
    last: Option<(Arc<[Text]>, Asset)>,
}

impl Assets {
    /// Returns a list of tasks: the last one if it is equal.
    pub(crate) fn list<'a>(&self, tasks: impl Iterator<Item = &'a Text> + Clone) -> Arc<[Text]> {
        let last = self.last.as_ref().map(|(last, _)| last).filter(|last| tasks.clone().eq(last.iter()));
        last.map_or_else(|| tasks.cloned().collect(), Arc::clone)
    }

    /// The asset a requirement works on.
    pub(crate) fn of(&mut self, requirement: &Requirement) -> Asset {
        let group = requirement.key.number();
        if let Some((tasks, asset)) = &self.last
            && Arc::ptr_eq(tasks, &requirement.tasks)
        {
            return asset.in_group(group);
        }
        let parts: Vec<u32> = requirement
            .tasks
            .iter()
            .map(|task| {
                let next = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
                self.parts.upsert(task.clone(), || next, |part| *part)
            })
            .collect();
        let asset = Asset::new(group, parts);
        self.last = Some((requirement.tasks.clone(), asset.clone()));
        asset
    }
}
