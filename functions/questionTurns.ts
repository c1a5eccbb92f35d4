import { createConcurrencyLimiter, settle } from '../shared/base/concurrency.ts'
import { err, type Result } from '../shared/base/result.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import { type Problem, problem } from '../shared/model/problem.ts'
import { epochMs } from '../shared/model/units.ts'
import type { AbortSignalLike, Clock } from '../shared/ports/clock.ts'

/** The most questions about one cluster that a process has, the one that it answers included. */
const MOST_OF_CLUSTER = 4
/** The most questions about all its clusters. */
const MOST = 16
const RETRY_AFTER_MS = 2_000
/** The longest pause after an answer. The first answer of a process loads the cluster, which takes longer. */
const LONGEST_PAUSE_MS = 1_000

/** Answers a question in its turn. The error says that the process has too many questions. */
export type QuestionTurns = <Value>(
  cluster: ClusterId,
  answer: () => Promise<Result<Value, Problem>>,
  signal: AbortSignalLike,
) => Promise<Result<Value, Problem>>

/**
 * An answer occupies the process that also decides. So questions are answered one at a time, and a pause as long as the answer follows each of them:
 * questions take half of the time at most, and a decision waits for one answer at most. Questions that would wait for long are refused.
 */
export function createQuestionTurns(clock: Clock): QuestionTurns {
  const inTurn = createConcurrencyLimiter(1)
  const asked = new Map<ClusterId, number>()
  let freeAt = epochMs(0)

  function isFull(cluster: ClusterId): boolean {
    const all = [...asked.values()].reduce((sum, each) => sum + each, 0)
    return all >= MOST || (asked.get(cluster) ?? 0) >= MOST_OF_CLUSTER
  }

  function count(cluster: ClusterId, by: 1 | -1): void {
    const now = (asked.get(cluster) ?? 0) + by
    if (now > 0) asked.set(cluster, now)
    else asked.delete(cluster)
  }

  return async (cluster, answer, signal) => {
    if (isFull(cluster)) {
      const message = `too many questions about cluster ${cluster} are asked at a time; ask again in ${RETRY_AFTER_MS / 1_000} s`
      return err(problem('INPUT.TOO_MANY_QUESTIONS', message, { retryAfterMs: RETRY_AFTER_MS }))
    }
    count(cluster, 1)
    try {
      return await inTurn(async () => {
        const pauseMs = Math.min(freeAt - clock.now(), LONGEST_PAUSE_MS)
        if (pauseMs > 0) await clock.sleep(pauseMs, signal)
        const begunAt = clock.now()
        const answered = await settle(answer)
        freeAt = epochMs(clock.now() + Math.min(clock.now() - begunAt, LONGEST_PAUSE_MS))
        if (!answered.ok) throw answered.error
        return answered.value
      })
    } finally {
      count(cluster, -1)
    }
  }
}
