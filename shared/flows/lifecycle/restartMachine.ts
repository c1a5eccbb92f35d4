import { settle } from '../../base/concurrency.ts'
import { failed, RESTART_PAUSE, rebootIssued, restartRefused } from '../../engine/lifecycle/reboot.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import { Fault, type Problem } from '../../model/problem.ts'
import { later } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { type ClusterDeps, logRefused } from '../deps/clusterDeps.ts'
import { type Applied, applyAnswer } from './applyClaimAction.ts'

/**
 * Asks Azure to restart the machine, and writes the answer to the claim. If Azure refused for now, or its answer was lost, the call is made again after a
 * pause: the claim says since when it is tried, and whether the last request may have restarted the machine.
 */
export async function restartMachine(deps: ClusterDeps, observation: ClaimObservation, signal: AbortSignalLike): Promise<Applied> {
  const { claim } = observation
  const asked = await settle(() => deps.cloud.restart(claim.name, signal))
  if (!asked.ok) {
    if (!(asked.error instanceof Fault)) throw asked.error
    logRefused(deps, `the restart of the machine of nodeclaim ${claim.name}`, asked.error.problem)
    if (isRefused(asked.error.problem))
      return applyAnswer(deps, observation, restartRefused({ ...observation, now: deps.clock.now() }), signal)
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

/** Reports whether Azure answered that it does not restart the machine. After any other failure the machine may restart. */
function isRefused({ fields }: Problem): boolean {
  const status = Number(fields?.['status'])
  return status >= 400 && status < 500
}
