//! Changes the tree: every change is a deployment.
//!
//! *Knows*: the order: change, ports, versions, rules, plan, acceptance; which versions are kept. *Must not know*: requests.
//!
//! **Source**: `marathon: core/group/impl/GroupManagerImpl.scala`. Match; a refused change leaves nothing behind, where the
//! real one stores an unused version of the tree.

use crate::definition::Refused;
use crate::definition::spec::Stamp;
use crate::deployments::plan::Plan;
use crate::deployments::planning::{Accepted, FailedChange, RootChange, plan_of};
use crate::events::Happening;
use crate::groups::Root;
use crate::id::PathId;
use crate::marathon::Marathon;
use crate::port::Port;
use planarium_part::Cx;
use std::sync::Arc;

const REFUSED: u32 = 0x6d31;

impl Marathon {
    /// Changes the tree. After a failure, [`Marathon::take_failed`] has the report for listeners.
    pub(crate) fn change_root(
        &mut self,
        port: &mut Port<'_>,
        mut change: RootChange<'_>,
    ) -> Result<Accepted, Refused> {
        let mut plan = None;
        let done = self.try_change(port, &mut change, &mut plan);
        match &done {
            Ok(_) => {
                self.records
                    .publish(port.cx, Happening::GroupChanged { id: change.group, version: change.version });
                self.settle(port);
            }
            Err(refused) => {
                // Every plan has its own id, which differs from that of the next deployment.
                let plan = plan.map(|plan| {
                    let mut plan = Plan::clone(&plan);
                    plan.id = self.records.setup.uuid(REFUSED, port.cx.next_seq());
                    Arc::new(plan)
                });
                self.note_failed(change.group, change.version, refused, plan);
            }
        }
        done
    }

    /// A change of the tree that is refused before there is a changed tree. The number of deployments is looked at first.
    pub(crate) fn refuse_change(&mut self, cx: &Cx, group: PathId, refused: Refused) -> Refused {
        let refused = self.check_running().err().unwrap_or(refused);
        let version = self.records.definitions.new_stamp(cx.now());
        self.note_failed(group, version, &refused, None);
        refused
    }

    fn note_failed(&mut self, group: PathId, version: Stamp, refused: &Refused, plan: Option<Arc<Plan>>) {
        self.failed = Some(Arc::new(FailedChange { group, version, reason: refused.reason().into(), plan }));
    }

    fn check_running(&self) -> Result<(), Refused> {
        let running = u64::try_from(self.deployments.running().count()).unwrap_or(u64::MAX);
        if running >= self.records.setup.settings.max_deployments {
            return Err(Refused::TooMany(self.records.setup.settings.max_deployments));
        }
        Ok(())
    }

    /// `computed` is the plan, once there is one.
    fn try_change(
        &mut self,
        port: &mut Port<'_>,
        change: &mut RootChange<'_>,
        computed: &mut Option<Arc<Plan>>,
    ) -> Result<Accepted, Refused> {
        self.check_running()?;
        let (plan, levels) = plan_of(&self.records, self.deployments.count(), change)?;
        let plan = Arc::new(plan);
        *computed = Some(plan.clone());
        let (id, target) = (plan.id.clone(), plan.target.clone());
        self.deploying(port).deploy(plan, change.force)?;
        self.set_root(target);
        self.records.definitions.set_levels(levels);
        Ok(Accepted { version: change.version, id })
    }

    /// The change that failed last, once.
    pub(crate) fn take_failed(&mut self) -> Option<Arc<FailedChange>> {
        self.failed.take()
    }

    /// Changes the tree without a deployment.
    pub(crate) fn patch_root(&mut self, root: Root) {
        self.set_root(root);
    }

    fn set_root(&mut self, root: Root) {
        for (id, spec) in self.records.definitions.replace(root) {
            let no = self.records.number_of(&id);
            if let Some(run) = self.records.run_mut(no) {
                run.spec = spec;
            }
            self.records.weigh(no);
            self.records.touch(no);
        }
        self.records.statuses.revision += 1;
    }
}
