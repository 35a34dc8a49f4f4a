//! The parts of the page, one folder or file each. Components hold no rules of any system: what can be done,
//! and why not, comes with the view.

pub(crate) mod announcer;
pub(crate) mod banner;
pub(crate) mod broken;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod console;
pub(crate) mod context_menu;
pub(crate) mod dialogs;
pub(crate) mod editor;
pub(crate) mod event_log;
pub(crate) mod finish;
pub(crate) mod frame_head;
pub(crate) mod header;
pub(crate) mod inspector;
pub(crate) mod lesson;
pub(crate) mod plan_tree;
pub(crate) mod pods;
pub(crate) mod served;
pub(crate) mod stopped;
pub(crate) mod stuck;
pub(crate) mod timeline;
pub(crate) mod toasts;
pub(crate) mod transport;
pub(crate) mod waiting;
pub(crate) mod why;
