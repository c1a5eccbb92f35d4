import { type DurationMs, durationMs } from '../../model/units.ts'

/** How long flows leave alone what another process may be at. Shorter finds dead work sooner and repeats living work more often; neither makes it wrong. */
export type FlowLimits = {
  /** Another process that began to launch a claim gets this long before its attempt counts as dead; it launches no longer. */
  readonly launchLock: DurationMs
  /** Younger machines and interfaces may belong to a claim that a list does not show yet. */
  readonly gcGrace: DurationMs
  /** Pods on a machine without a claim get this long to go; the machine goes then. */
  readonly gcDrain: DurationMs
}

export const FLOW_LIMITS: FlowLimits = { launchLock: durationMs(30_000), gcGrace: durationMs(5 * 60_000), gcDrain: durationMs(30 * 60_000) }
