//! Images: pulled once per node, or each time, or not available.
//!
//! Source: `kubernetes/kubernetes: pkg/kubelet/images/image_manager.go`, match in order, back-off and words.
//!
//! An image whose name (not its tag) begins with `bad-` is not available; the tag `bad-...` fails after starting, which the
//! fleet simulates.

use super::{Backoff, Kubelet};
use crate::{
    object::ObjectNo,
    records::{nodes::Nodes, queue::Timer},
    spec::container::Pull,
    status::State,
};
use planarium_ground::Absence;
use planarium_kernel::{Class, draw};
use planarium_protocol::Text;

const BACKOFF_MS: u64 = 10_000;
const BACKOFF_MOST_MS: u64 = 300_000;
const PULL: u32 = 0x4B08;

/// The state of an image.
pub(super) enum Image {
    /// It can be used.
    Ready,
    /// Pulling, or the pull's failure was reported.
    Waiting,
}

/// True if an image reference makes sense: `[HOST[:PORT]/]NAME[:TAG][@DIGEST]`, names in lower case.
pub(crate) fn is_reference(image: &str) -> bool {
    let (rest, digest) = match image.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (image, None),
    };
    if rest.starts_with('/') {
        return false;
    }
    let (path, name) = rest.rsplit_once('/').map_or(("", rest), |(path, name)| (path, name));
    let (name, tag) = match name.split_once(':') {
        Some((name, tag)) => (name, Some(tag)),
        None => (name, None),
    };
    let word = |text: &str| {
        let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        ends(text.chars().next())
            && ends(text.chars().last())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c))
    };
    let host =
        |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || ".:-".contains(c)) && !text.is_empty();
    let mut parts = path.split('/').enumerate();
    let path_fits = path.is_empty()
        || parts.all(|(at, part)| {
            word(part) || at == 0 && (part.contains(['.', ':']) || part == "localhost") && host(part)
        });
    let tag_fits = tag.is_none_or(|tag| {
        !tag.is_empty()
            && tag.len() <= 128
            && tag.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    });
    let digest_fits = digest.is_none_or(|digest| {
        digest.split_once(':').is_some_and(|(how, hash)| {
            !how.is_empty() && hash.len() >= 32 && hash.chars().all(|c| c.is_ascii_hexdigit())
        })
    });
    word(name) && path_fits && tag_fits && digest_fits
}

/// True if no registry has an image.
pub(super) fn is_missing(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or(image);
    name.starts_with("bad-")
}

/// Returns the time to pull an image to a node; shorter if it is present and only looked up.
pub(super) fn pull_ms(seed: u64, nodes: &Nodes, node: u32, image: &Text, present: bool) -> u64 {
    let name = nodes.get(node).map(|node| node.name.clone()).unwrap_or_default();
    let entity = draw::entity_of(&[&name, " ", image]);
    let (low, high) = if present { (200, 600) } else { (800, 6_000) };
    draw::between(seed, entity, PULL, u64::from(present), low, high)
}

impl Kubelet<'_> {
    /// Sees to the image of a container.
    pub(super) fn image(&mut self, no: ObjectNo, at: u16) -> Image {
        let Some(run) = self.cluster.runs.get(no) else { return Image::Waiting };
        let (node, spec) = (run.node, run.spec.clone());
        let Some(container) = spec.containers.get(usize::from(at)) else { return Image::Waiting };
        let Some(pod) = self.cluster.api.store.object(no).cloned() else { return Image::Waiting };
        let image = container.image.clone();
        if !is_reference(&image) {
            let message = format!(
                "Failed to apply default image tag {image:?}: couldn't parse image reference {image:?}: invalid \
                                   reference format"
            );
            let told = self.cluster.runs.change_cell(no, at, |cell| {
                let told = matches!(&cell.status.state, State::Waiting { reason: "InvalidImageName", .. });
                cell.wait("InvalidImageName", message.as_str());
                told
            });
            if told == Some(false) {
                self.cluster.reports.record(self.cx, &pod, true, "InspectFailed", &message, "kubelet");
                self.cluster.reports.record(
                    self.cx,
                    &pod,
                    true,
                    "Failed",
                    "Error: InvalidImageName",
                    "kubelet",
                );
            }
            return Image::Waiting;
        }
        let present = self.cluster.nodes.get(node).is_some_and(|node| node.images.contains(&image));
        match (container.pull, present) {
            (Pull::Never, false) => {
                let message = format!("Container image {image:?} is not present with pull policy of Never");
                self.cluster
                    .runs
                    .change_cell(no, at, |cell| cell.wait("ErrImageNeverPull", message.as_str()));
                self.cluster.reports.record(self.cx, &pod, true, "ErrImageNeverPull", &message, "kubelet");
                Image::Waiting
            }
            (Pull::IfNotPresent | Pull::Never, true) => {
                let message = format!("Container image {image:?} already present on machine");
                self.cluster.reports.record(self.cx, &pod, false, "Pulled", &message, "kubelet");
                self.cluster.runs.change_cell(no, at, |cell| cell.status.pulled = true);
                Image::Ready
            }
            (_, present) => {
                self.cluster.reports.record(
                    self.cx,
                    &pod,
                    false,
                    "Pulling",
                    &format!("Pulling image {image:?}"),
                    "kubelet",
                );
                let delay = pull_ms(self.cluster.api.seed, &self.cluster.nodes, node, &image, present);
                self.arm_cell(no, at, delay, Timer::Pulled(no, at), Class::OneShot);
                Image::Waiting
            }
        }
    }

    /// Arms the next turn of a container.
    pub(super) fn arm_cell(&mut self, no: ObjectNo, at: u16, delay_ms: u64, timer: Timer, class: Class) {
        let old = self.cluster.runs.cell(no, at).and_then(|cell| cell.timer);
        self.cluster.queue.disarm(old.map(|(timer, _)| timer));
        let due = self.cx.now().saturating_add(delay_ms);
        let timer = self.cluster.queue.arm(due, class, self.cx.cause(), timer);
        self.cluster.runs.change_cell(no, at, |cell| cell.timer = Some((timer, due)));
    }

    /// An image could not be fetched: it is tried again later, less and less often.
    pub(super) fn pull_failed(&mut self, no: ObjectNo, at: u16, text: &str, class: Class) {
        let Some(pod) = self.cluster.api.store.object(no).cloned() else { return };
        let image = self
            .cluster
            .runs
            .get(no)
            .and_then(|run| run.spec.containers.get(usize::from(at)))
            .map(|one| one.image.clone());
        let image = image.unwrap_or_default();
        self.cluster.reports.record(
            self.cx,
            &pod,
            true,
            "Failed",
            &format!("Failed to pull image {image:?}: {text}"),
            "kubelet",
        );
        self.cluster.reports.record(self.cx, &pod, true, "Failed", "Error: ErrImagePull", "kubelet");
        let now = self.cx.now();
        let delay = self.cluster.runs.change_cell(no, at, |cell| {
            let before = cell.pull_backoff.map(|backoff| backoff.ms);
            let ms = before.map_or(BACKOFF_MS, |ms| (ms * 2).min(BACKOFF_MOST_MS));
            cell.pull_backoff = Some(Backoff { ms, updated: now });
            cell.wait("ImagePullBackOff", format!("Back-off pulling image {image:?}"));
            ms
        });
        self.cluster.reports.record(
            self.cx,
            &pod,
            false,
            "BackOff",
            &format!("Back-off pulling image {image:?}"),
            "kubelet",
        );
        if let Some(delay) = delay {
            self.arm_cell(no, at, delay, Timer::Restart(no, at), class);
        }
        self.report_pod(no);
    }

    /// Postpones due work while the kubelet restarts. On a lost machine, it is dropped.
    pub(super) fn put_off(&mut self, no: ObjectNo, at: u16, timer: Timer) -> bool {
        match self.acts(no) {
            Some(Absence::AgentRestart) => {
                self.cluster.runs.change_cell(no, at, |cell| cell.timer = None);
                self.arm_cell(no, at, 1_000, timer, Class::OneShot);
                true
            }
            Some(Absence::Lost) => true,
            Some(Absence::Partitioned) | None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for (image, fits) in [
            ("nginx", true),
            ("nginx:1.7.9", true),
            ("repo.example:5000/team/app:slow-green", true),
            ("mesosphere/zookeeper:3.6.2-debian", true),
            ("localhost/x", true),
            ("app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", true),
            ("Nginx", false),
            ("nginx:", false),
            ("a b", false),
            ("", false),
            ("app:bad tag", false),
            ("/app", false),
            ("app@sha256:1", false),
        ] {
            assert_eq!(is_reference(image), fits, "{image}");
        }
        assert!(is_missing("repo.example/bad-app:1") && !is_missing("app:bad-yellow"));
    }
}
