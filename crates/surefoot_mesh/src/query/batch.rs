//! Many path queries at once.
//!
//! In go requests; out come their answers, in the order of the requests and the same for any number of
//! threads. Every thread has a query of its own, which is kept from batch to batch, and takes the next
//! few requests when it is done with the last ones.

use super::caller::Query;
use super::path::{Path, PathError, PathOptions};
use super::position::Position;

/// Paths of earlier batches that are kept for later ones at most, where their place has gone to an
/// error.
const MOST_SPARE: usize = 1024;

/// One of many path queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathRequest {
    /// Where the path starts, in the user's frame.
    pub from: [f64; 3],
    /// Where it should end.
    pub to: [f64; 3],
}

impl PathRequest {
    /// A request between two points.
    #[must_use]
    pub fn new(from: impl Position, to: impl Position) -> Self {
        Self { from: from.coordinates(), to: to.coordinates() }
    }
}

impl Query<'_> {
    /// Answers many queries under this query's filter and extents, over all threads of the current
    /// pool where the feature `parallel` is on. Answers come in the order of the requests and do
    /// not depend on the number of threads.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, Query, PathOptions, PathRequest};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let requests: Vec<PathRequest> =
    ///     (0..5).map(|i| PathRequest::new([i as f32, 0.0, 0.0], [9.0, 0.0, 4.0])).collect();
    /// let answers = Query::new(&mesh).find_paths(&requests, &PathOptions::default());
    /// assert!(answers.len() == 5 && answers.iter().all(|a| a.is_ok()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_paths(
        &mut self,
        requests: &[PathRequest],
        options: &PathOptions,
    ) -> Vec<Result<Path, PathError>> {
        let mut answers = Vec::new();
        self.find_paths_into(requests, options, &mut answers);
        answers
    }

    /// The same into a list that is used again: paths that it holds are written anew, which allocates
    /// nothing for those that are large enough, and those whose place goes to an error wait for the
    /// next that need one. The list becomes as long as the requests. What is left once all have
    /// warmed up is what it takes to wake the threads, however many the requests.
    ///
    /// ```
    /// # use surefoot_mesh::{Agent, NavMeshData, PathOptions, PathRequest, Query};
    /// # let points = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    /// # let data = NavMeshData::from_polygons(&points, &[vec![0, 1, 2, 3]], Agent::default(), [0.0, 1.0, 0.0])?;
    /// # let mesh = data.validate()?;
    /// let mut query = Query::new(&mesh);
    /// let mut answers = Vec::new();
    /// for frame in 0..3 {
    ///     let from = [frame as f32, 0.0, 1.0];
    ///     let requests = [PathRequest::new(from, [8.0, 0.0, 1.0]), PathRequest::new(from, [99.0; 3])];
    ///     query.find_paths_into(&requests, &PathOptions::default(), &mut answers);
    ///     assert!(answers[0].is_ok() && answers[1].is_err());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_paths_into(
        &mut self,
        requests: &[PathRequest],
        options: &PathOptions,
        answers: &mut Vec<Result<Path, PathError>>,
    ) {
        answers.truncate(requests.len());
        answers.resize_with(requests.len(), || Ok(Path::default()));
        #[cfg(feature = "parallel")]
        if self.share_out(requests, options, answers) {
            return;
        }
        self.answer(requests, options, answers);
    }

    fn answer(
        &mut self,
        requests: &[PathRequest],
        options: &PathOptions,
        answers: &mut [Result<Path, PathError>],
    ) {
        for (request, answer) in requests.iter().zip(answers) {
            let own = std::mem::replace(answer, Err(PathError::NoSearch)).ok();
            let mut path = own.or_else(|| self.spare.pop()).unwrap_or_default();
            *answer = match self.find_path_into(request.from, request.to, options, &mut path) {
                Ok(()) => Ok(path),
                Err(error) => {
                    if path.points.capacity() > 0 && self.spare.len() < MOST_SPARE {
                        self.spare.push(path);
                    }
                    Err(error)
                }
            };
        }
    }
}

#[cfg(feature = "parallel")]
impl Query<'_> {
    /// Answers with the help of other threads; `false` where that does not pay.
    fn share_out(
        &mut self,
        requests: &[PathRequest],
        options: &PathOptions,
        answers: &mut [Result<Path, PathError>],
    ) -> bool {
        use std::sync::{Mutex, PoisonError};
        // Waking a thread takes as long as some short queries.
        const LEAST_REQUESTS: usize = 16;
        // Few enough to share the work out evenly, enough that taking them costs nothing beside them.
        const MOST_AT_ONCE: usize = 64;
        const SHARES_PER_THREAD: usize = 16;
        let threads = rayon::current_num_threads();
        if threads < 2 || requests.len() < LEAST_REQUESTS {
            return false;
        }
        let at_once = (requests.len() / (threads * SHARES_PER_THREAD)).clamp(1, MOST_AT_ONCE);
        let mut helpers = self.call_helpers((threads - 1).min(requests.len() - 1));
        let rest = Mutex::new(requests.chunks(at_once).zip(answers.chunks_mut(at_once)));
        let work_off = |query: &mut Query<'_>| {
            // Taken in a statement of its own, so that the lock is free again while it is worked on.
            let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some((requests, answers)) = next() {
                query.answer(requests, options, answers);
            }
        };
        rayon::scope(|scope| {
            for helper in &mut helpers {
                scope.spawn(|_| work_off(&mut helper.0));
            }
            work_off(self);
        });
        self.keep_helpers(helpers);
        true
    }
}
