//! Changing the tree: every change is a deployment.
//!
//! *Knows*: the order: change, ports, versions, rules, plan, acceptance; which versions are kept. *Must not know*: requests.
//!
//! **Source**: `marathon: core/group/impl/GroupManagerImpl.scala`. Match; a change that is refused leaves nothing behind, where
//! the real one keeps a version of the tree that nobody has.

use super::Marathon;
use super::bus::Happening;
use crate::definition::spec::Stamp;
use crate::definition::{Refused, RunSpec};
use crate::deploy::Plan;
use crate::deploy::plan::{self, ToKill};
use crate::group::{self, Difference, Levels, Marks, Root};
use crate::id::PathId;
use planarium_mesos::Cluster;
use planarium_part::Cx;
use planarium_protocol::Text;
use std::sync::{Arc, OnceLock};

/// So many versions of the tree, of an app and of a pod are kept.
const KEPT: usize = 50;
const DEPLOYMENT: u32 = 0x6d30;
const REFUSED: u32 = 0x6d31;

/// A change of the tree.
pub(crate) struct RootChange<'a> {
    /// The group that events name.
    pub(crate) group: PathId,
    /// Its version.
    pub(crate) version: Stamp,
    pub(crate) force: bool,
    /// What is restarted although nothing changes.
    pub(crate) marks: Marks,
    /// Who has to go if there are to be fewer.
    pub(crate) kill: ToKill,
    /// The changed tree.
    pub(crate) change: &'a mut dyn FnMut(&mut Root) -> Result<(), Refused>,
}

/// A change that failed: what those who listen are told of it.
#[derive(Clone, Debug)]
pub(crate) struct FailedChange {
    pub(crate) group: PathId,
    pub(crate) version: Stamp,
    pub(crate) reason: Text,
    /// The plan that was not accepted.
    pub(crate) plan: Option<Arc<Plan>>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    pub(crate) version: Stamp,
    pub(crate) id: Text,
}

impl Marathon {
    /// The plan of a change that is not carried out, and the levels of the tree that it leads to.
    pub(crate) fn plan_of(&mut self, change: &mut RootChange<'_>) -> Result<(Plan, Option<Levels>), Refused> {
        let from = self.root.clone();
        let mut to = from.clone();
        (change.change)(&mut to)?;
        let to = group::assign(&from, to, &self.settings)?;
        let to = group::with_versions(change.version, &from, to, &change.marks);
        let difference = Difference::between(&from, &to);
        let before = self.levels();
        let levels = difference.levels(before, &to);
        to.check(&difference, levels.as_ref(), &self.settings)?;
        let steps =
            plan::steps(&difference, (before, levels.as_ref()), &change.kill, self.settings.stop_in_order);
        let id = self.uuid(DEPLOYMENT, u64::from(self.deployments.count()) + 1);
        let plan = Plan::of(id, &from, &to, steps);
        plan.check()?;
        Ok((plan, levels))
    }

    /// The levels of the present tree; none when something in it needs itself.
    pub(crate) fn levels(&self) -> Option<&Levels> {
        self.levels.get_or_init(|| Levels::of(&self.root)).as_ref()
    }

    /// Changes the tree. What listeners are told when that fails is in [`Marathon::take_failed`] then.
    pub(crate) fn change_root(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        mut change: RootChange<'_>,
    ) -> Result<Accepted, Refused> {
        let mut plan = None;
        let done = self.try_change(cx, cluster, &mut change, &mut plan);
        match &done {
            Ok(_) => {
                self.publish(cx, Happening::GroupChanged { id: change.group, version: change.version });
                self.settle(cx, cluster);
            }
            Err(refused) => {
                // Every plan has an id of its own, that of the next deployment is not it.
                let plan = plan.map(|plan| {
                    let mut plan = Plan::clone(&plan);
                    plan.id = self.uuid(REFUSED, cx.next_seq());
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
        let version = self.new_stamp(cx.now());
        self.note_failed(group, version, &refused, None);
        refused
    }

    fn note_failed(&mut self, group: PathId, version: Stamp, refused: &Refused, plan: Option<Arc<Plan>>) {
        self.failed = Some(Arc::new(FailedChange { group, version, reason: refused.reason().into(), plan }));
    }

    fn check_running(&self) -> Result<(), Refused> {
        let running = u64::try_from(self.deployments.running().count()).unwrap_or(u64::MAX);
        if running >= self.settings.max_deployments {
            return Err(Refused::TooMany(self.settings.max_deployments));
        }
        Ok(())
    }

    /// `computed` is the plan, once there is one.
    fn try_change(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        change: &mut RootChange<'_>,
        computed: &mut Option<Arc<Plan>>,
    ) -> Result<Accepted, Refused> {
        self.check_running()?;
        let (plan, levels) = self.plan_of(change)?;
        let plan = Arc::new(plan);
        *computed = Some(plan.clone());
        let (id, target) = (plan.id.clone(), plan.target.clone());
        self.deploy(cx, cluster, plan, change.force)?;
        self.set_root(target);
        self.levels = OnceLock::from(levels);
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
        let before = std::mem::replace(&mut self.root, root);
        self.levels = OnceLock::new();
        let mut changed: Vec<(PathId, Option<Arc<RunSpec>>)> = Vec::new();
        for pair in before.beside(&self.root) {
            match pair {
                (Some(old), Some(spec)) if Arc::ptr_eq(old, spec) || old == spec => {}
                (_, Some(spec)) => changed.push((spec.id.clone(), Some(spec.clone()))),
                (Some(old), None) => changed.push((old.id.clone(), None)),
                (None, None) => {}
            }
        }
        for (id, spec) in changed {
            if let Some(spec) = &spec {
                self.keep_version(&id, spec.clone());
            }
            let no = self.number_of(&id);
            if let Some(run) = self.run_mut(no) {
                run.spec = spec;
            }
            self.weigh(no);
            self.touch(no);
        }
        self.roots.insert(self.root.version, self.root.clone());
        while self.roots.len() > KEPT {
            self.roots.pop_first();
        }
        self.revision += 1;
    }

    fn keep_version(&mut self, id: &PathId, spec: Arc<RunSpec>) {
        let empty = || Arc::new(Vec::new());
        self.versions.upsert(id.clone(), empty, |all| {
            let all = Arc::make_mut(all);
            all.retain(|old: &Arc<RunSpec>| old.version.version != spec.version.version);
            all.push(spec.clone());
            let surplus = all.len().saturating_sub(KEPT);
            all.drain(..surplus);
        });
    }

    /// Versions of an app or pod, newest first.
    pub(crate) fn versions_of(&self, id: &PathId) -> Vec<Arc<RunSpec>> {
        self.versions.get(id).map(|all| all.iter().rev().cloned().collect()).unwrap_or_default()
    }

    /// An app or pod as it was in a version.
    pub(crate) fn version_of(&self, id: &PathId, version: Stamp) -> Option<Arc<RunSpec>> {
        self.versions.get(id)?.iter().find(|spec| spec.version.version == version).cloned()
    }
}
