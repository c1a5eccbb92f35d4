import { Fault } from '../../shared/model/problem.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { Arm } from '../armCall.ts'
import type { SmokeRecord } from './record.ts'
import type { Redactor } from './redact.ts'
import type { SmokeCluster } from './smokeCluster.ts'

/** The record of the run as it is now. A change is in the file when `change` returns. */
export type Journal = { readonly record: () => SmokeRecord; readonly change: (change: (record: SmokeRecord) => SmokeRecord) => void }

/** What the steps of a run share. */
export type SmokeRun = {
  readonly cluster: SmokeCluster
  readonly arm: Arm
  readonly clock: Clock
  readonly journal: Journal
  readonly redactor: Redactor
}

/** What a step found. `failed`: the assumption does not hold, and `text` says what was seen in its place. */
export type StepOutcome = {
  readonly state: 'done' | 'failed' | 'skipped'
  readonly text: string
  readonly figures?: { readonly [name: string]: number }
}

export const done = (text: string, figures: { readonly [name: string]: number } = {}): StepOutcome => ({ state: 'done', text, figures })
export const failed = (text: string): StepOutcome => ({ state: 'failed', text })
export const skipped = (text: string): StepOutcome => ({ state: 'skipped', text })

const PAUSE_MS = 2_000

/**
 * Looks again and again until there is something to see. Undefined: there was nothing until the limit. A failed look is no end: Azure and the API
 * server may be slow for a while.
 */
export async function waitFor<Seen>(
  { clock }: Pick<SmokeRun, 'clock'>,
  limitMs: number,
  look: () => Promise<Seen | undefined>,
  signal: AbortSignal,
): Promise<Seen | undefined> {
  const until = clock.now() + limitMs
  for (;;) {
    const seen = await patiently(look)
    if (seen !== undefined || clock.now() >= until) return seen
    await clock.sleep(PAUSE_MS, signal)
  }
}

async function patiently<Seen>(look: () => Promise<Seen | undefined>): Promise<Seen | undefined> {
  try {
    return await look()
  } catch (cause) {
    if (mayPass(cause)) return undefined
    throw cause
  }
}

/** Reports whether the same call may work later. A missing right stays missing. */
export function mayPass(cause: unknown): boolean {
  return cause instanceof Fault && cause.problem.code !== 'AZURE.FORBIDDEN' && cause.problem.code !== 'KUBE.FORBIDDEN'
}

/** The resource group of the machines, as a path of ARM. */
export function groupPath({ cluster: { config } }: { readonly cluster: Pick<SmokeCluster, 'config'> }): string {
  return `/subscriptions/${config.subscriptionId}/resourceGroups/${config.nodeResourceGroup}`
}

/** Whole seconds between two instants. */
export function secondsSince(from: EpochMs, { clock }: Pick<SmokeRun, 'clock'>): number {
  return Math.round((clock.now() - from) / 1_000)
}
