import { type DurationMs, durationMs } from '../../model/units.ts'

/**
 * How long flows leave alone what another process may be working on. A shorter time finds dead work sooner and repeats live work more often. Both
 * are correct.
 */
export type FlowLimits = {
  /** How long another process may take to launch a claim. After this time, its attempt counts as dead, and that process stops launching. */
  readonly launchLock: DurationMs
  /** Machines and network interfaces younger than this are not collected: they may belong to a claim that a list does not show yet. */
  readonly gcGrace: DurationMs
  /** How long pods may stay on a machine without a claim. After this time, the machine is deleted. */
  readonly gcDrain: DurationMs
}

export const FLOW_LIMITS: FlowLimits = { launchLock: durationMs(30_000), gcGrace: durationMs(5 * 60_000), gcDrain: durationMs(30 * 60_000) }
