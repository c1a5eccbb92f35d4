/** Step 3: Azure evicts a spot machine. The notice comes, the node is closed, another machine takes its place, and the evicted one goes. */

import { err, ok, type Result } from '../../shared/base/result.ts'
import { closeNode } from '../../shared/engine/lifecycle/closeNode.ts'
import { isFine, refusalOf } from '../armCall.ts'
import { type Made, makeMachine } from './makeMachine.ts'
import { endOfProbe, isProbeReady, startProbe } from './probe.ts'
import { done, failed, groupPath, type SmokeRun, type StepOutcome, secondsSince, skipped, waitFor } from './smokeRun.ts'

/** The first question to a machine's metadata service may take two minutes. */
const LISTENS_MS = 5 * 60_000
/** Azure simulates an eviction within half an hour of the request (Virtual Machines - Simulate Eviction, 2026-03-01). */
const NOTICE_MS = 30 * 60_000
const GONE_MS = 15 * 60_000
const VERSION = '2025-04-01'

export async function evictionStep(run: SmokeRun, before: Made | undefined, signal: AbortSignal): Promise<StepOutcome> {
  const spot = before === undefined ? await makeMachine(run, 'default', signal) : ok(before)
  if (!spot.ok) return failed(`no machine to evict: ${spot.error}`)
  const made = spot.value
  if (made.machine.capacityType !== 'spot') return skipped('Azure gave no spot machine, and no other is evicted')
  const listens = await listensToNotices(run, made, signal)
  if (!listens.ok) return failed(listens.error)
  const askedAt = run.clock.now()
  const evicted = await run.arm({ method: 'POST', path: `${machinePath(run, made)}/simulateEviction`, version: VERSION }, signal)
  if (!isFine(evicted)) return failed(`Azure does not simulate the eviction: ${refusalOf(evicted)}`)
  const noticed = await noticeOf(run, made, signal)
  if (!noticed.ok) return failed(noticed.error)
  const noticeSeconds = secondsSince(askedAt, run)
  const replaced = await replace(run, made, signal)
  if (!replaced.ok) return failed(replaced.error)
  const { readySeconds: replacedSeconds } = replaced.value
  const figures = { noticeSeconds, replacedSeconds, goneSeconds: secondsSince(askedAt, run) }
  return done(`notice after ${noticeSeconds} s, node closed, replaced after ${replacedSeconds} s`, figures)
}

async function listensToNotices(run: SmokeRun, made: Made, signal: AbortSignal): Promise<Result<void, string>> {
  await startProbe(run, made, 'notice', signal)
  if (await isProbeReady(run, made, 'notice', LISTENS_MS, signal)) return ok(undefined)
  return err(`a pod on ${made.node.name} gets no answer of the metadata service`)
}

async function noticeOf(run: SmokeRun, made: Made, signal: AbortSignal): Promise<Result<void, string>> {
  const end = await endOfProbe(run, made, 'notice', NOTICE_MS, signal)
  if (typeof end === 'string') return err(`no notice came: ${end}`)
  return end.exitCode === 0 ? ok(undefined) : err(`no notice came: the pod that waits for it ended with ${end.exitCode}`)
}

/** Closes the node, makes another machine, and waits until the evicted one is gone. */
async function replace(run: SmokeRun, made: Made, signal: AbortSignal): Promise<Result<Made, string>> {
  if (!(await isNodeClosed(run, made, signal))) return err(`node ${made.node.name} could not be closed before its machine was gone`)
  const replaced = await makeMachine(run, 'default', signal)
  if (!replaced.ok) return err(`no machine replaces the evicted one: ${replaced.error}`)
  const look = async () => ((await run.cluster.cloud.get(made.claim.name, signal)) === undefined ? true : undefined)
  const isGone = await waitFor(run, GONE_MS, look, signal)
  return isGone === undefined ? err(`the evicted machine ${made.node.name} is still there`) : replaced
}

function machinePath(run: SmokeRun, { node }: Made): string {
  return `${groupPath(run)}/providers/Microsoft.Compute/virtualMachines/${node.name}`
}

/** Writes what the app writes to a node whose machine is about to go. A node that another writer has changed is read again. */
async function isNodeClosed(run: SmokeRun, made: Made, signal: AbortSignal): Promise<boolean> {
  const { api } = run.cluster
  for (let tries = 0; tries < MOST_WRITES; tries++) {
    const node = await api.getNode(made.node.name, signal)
    if (node === undefined) return false
    const mark = closeNode(node).find(({ kind }) => kind === 'patchNode')
    if (mark?.kind !== 'patchNode') return true
    if ((await api.patchNode(node, mark.patch, signal)).ok) return true
  }
  return false
}

const MOST_WRITES = 5
