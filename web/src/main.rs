//! The playground page: mounts the application.

fn main() {
    planarium_web::start();
}
