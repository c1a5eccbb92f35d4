import { settle } from '../../base/concurrency.ts'
import { failed, RESTART_PAUSE, rebootIssued } from '../../engine/lifecycle/reboot.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import { Fault } from '../../model/problem.ts'
import { later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, logRefused } from '../deps/clusterDeps.ts'
import { type Applied, applyAnswer } from './applyClaimAction.ts'

/**
 * Asks Azure to restart the machine, and writes the answer to the claim. If the call failed, or its answer was lost, it is made again after a pause: the
 * claim says since when it is tried.
 */
export async function restartMachine(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Applied> {
  const { claim } = observation
  const asked = await settle(() => deps.cloud.restart(claim.name, signal))
  if (!asked.ok) {
    if (!(asked.error instanceof Fault)) throw asked.error
    logRefused(deps, `the restart of the machine of nodeclaim ${claim.name}`, asked.error.problem)
    const wakeAt = later(deps.clock.now(), RESTART_PAUSE)
    return { kind: 'wait', observation, wakeAt, dueAt: wakeAt, changed: false }
  }
  const now = { ...observation, now: deps.clock.now() }
  const answer = asked.value
  if (!answer.ok) return applyAnswer(deps, now, failed(now, 'provider_error', answer.error.message), signal)
  if (answer.value === 'gone') return applyAnswer(deps, now, failed(now, 'provider_error', 'the machine does not exist any more'), signal)
  deps.telemetry.info(`the machine of nodeclaim ${claim.name} restarts`, { cluster: deps.cluster, claim: claim.name })
  return applyAnswer(deps, now, rebootIssued(now), signal)
}
