//! Virtual instants as text.

/// `1:02.500`, or `1:00:02.500` from an hour on.
pub fn clock(ms: u64) -> String {
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    let (seconds, millis) = (ms / 1000 % 60, ms % 1000);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}.{millis:03}")
    } else {
        format!("{minutes}:{seconds:02}.{millis:03}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints() {
        assert_eq!(clock(0), "0:00.000");
        assert_eq!(clock(62_500), "1:02.500");
        assert_eq!(clock(3_602_500), "1:00:02.500");
    }
}
