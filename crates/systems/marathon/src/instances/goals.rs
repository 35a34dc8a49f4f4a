//! Goals of instances: giving one another goal, and having several end.

use crate::instances::instance::Goal;
use crate::instances::instance::InstanceNo;
use crate::instances::scaling::Ending;
use crate::instances::tracker::{Key, SpecNo, Tracked};
use crate::records::Records;
use planarium_part::Cx;

impl Records {
    /// Something else is wanted of an instance, for a reason.
    pub(crate) fn set_goal(&mut self, cx: &mut Cx, key: Key, goal: Goal, text: &str) {
        let Some(instance) = self.instances.get(key).cloned() else { return };
        if instance.goal == goal {
            return;
        }
        let what = if goal == Goal::Decommissioned { "instance-decommissioned" } else { "instance-stopped" };
        let cause = self.say_instance(cx, what, Tracked { key, instance: &instance }, text);
        self.instances.set_goal(key, goal, cx.now(), cause);
    }

    /// Ends instances, keeping their reservations.
    pub(crate) fn end_instances(
        &mut self,
        cx: &mut Cx,
        no: SpecNo,
        which: &[InstanceNo],
        text: &str,
    ) -> Ending {
        let mut chosen = Vec::new();
        for instance in which {
            let key = Key { spec: no, no: *instance };
            let Some(instance) = self.instances.get(key).cloned() else { continue };
            let goal = if instance.reservation.is_some() { Goal::Stopped } else { Goal::Decommissioned };
            self.set_goal(cx, key, goal, text);
            chosen.push(instance);
        }
        let mut waits = Ending::of(&chosen);
        waits.look(|instance| self.instances.get(Key { spec: no, no: instance }).cloned());
        waits
    }
}
