//! Settings of queries can be written and read, with the feature `serde`.
#![cfg(feature = "serde")]

use surefoot_mesh::{
    Agent, Algorithm, AreaId, Filter, LinkId, LinkKind, OverBudget, PathOptions, PathPoints,
    Unreachable,
};

#[test]
fn settings_come_back_as_they_were() {
    let mut filter = Filter { closed_links: vec![LinkId(3)], ..Filter::default() };
    filter.set_area_cost(AreaId(2), 2.5);
    filter.set_link_cost(LinkKind::Jump, 4.0);
    let options = PathOptions {
        algorithm: Algorithm::AStar,
        points: PathPoints::Ground,
        unreachable: Unreachable::NearestReachable,
        max_nodes: Some(10_000),
        over_budget: OverBudget::AskAStar,
    };
    let agent = Agent { radius_m: 0.45, ..Agent::default() };
    let text = serde_json::to_string(&(&filter, &options, &agent)).unwrap();
    let back: (Filter, PathOptions, Agent) = serde_json::from_str(&text).unwrap();
    assert_eq!(back, (filter, options, agent));
}
