//! `cargo xtask bench`: the workloads of the budgets. Linked in with the feature `bench` only.

/// Runs the workloads and prints each figure beside its budget.
pub(crate) fn run(_args: &[String]) -> anyhow::Result<()> {
    anyhow::bail!("no workload is linked in")
}
