//! The same bytes for any number of threads.

mod support;

use support::Bench;

#[test]
fn one_thread_and_two_give_equal_bytes() {
    let bench = Bench::new();
    for (name, size) in [
        ("doorways", "3"),
        ("stairs", "4"),
        ("floors", "2"),
        ("pillars", "4"),
        ("maze", "6"),
        ("testmap-1", "1"),
        ("terrain", "24"),
        ("platforms", "1"),
    ] {
        bench.ok(&["scene", name, "--size", size, "--jitter", "0.0004", "-o", "s.glb"]);
        bench.ok(&["build", "s.glb", "-o", "one.snav", "--threads", "1"]);
        bench.ok(&["build", "s.glb", "-o", "two.snav", "--threads", "2"]);
        bench.ok(&["build", "s.glb", "-o", "five.snav", "--threads", "5"]);
        let one = bench.read("one.snav");
        assert!(one == bench.read("two.snav") && one == bench.read("five.snav"), "{name}");
        // Pictures cost a second each; one flat and one hilly scene show all that they can show.
        let pictures = matches!(name, "stairs" | "terrain").then_some("png");
        for format in ["json", "obj", "glb", "svg"].into_iter().chain(pictures) {
            let (a, b) = (format!("one.{format}"), format!("two.{format}"));
            bench.ok(&["export", "one.snav", "-o", &a, "--threads", "1"]);
            bench.ok(&["export", "two.snav", "-o", &b, "--threads", "2"]);
            assert!(bench.read(&a) == bench.read(&b), "{name} as {format}");
        }
    }
}
