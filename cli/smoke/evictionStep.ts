/**
 * Step 3: Azure evicts a spot machine. The notice comes, the node is closed, another machine takes its place, and the evicted one goes. Where an app
 * answers, the machine is one of the app, which does all of this, and the step looks on. Otherwise the step does what the app does.
 */

import { err, ok, type Result } from '../../shared/base/result.ts'
import { closeNode } from '../../shared/engine/lifecycle/drain.ts'
import { nodeName } from '../../shared/model/ids.ts'
import { TAINT_KEY } from '../../shared/model/labels.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import { isFine, refusalOf } from '../armCall.ts'
import { newClaim, readyNode, type SmokeApp, startTrial, trialClaims } from './appTrial.ts'
import { type Made, makeMachine } from './makeMachine.ts'
import { endOfProbe, isProbeReady, type ProbePlace, startProbe } from './probe.ts'
import { done, failed, groupPath, type SmokeRun, type StepOutcome, secondsSince, skipped, waitFor } from './smokeRun.ts'

/** The first question to a machine's metadata service may take two minutes. */
const LISTENS_MS = 5 * 60_000
/** Azure simulates an eviction within half an hour of the request (Virtual Machines - Simulate Eviction, 2026-03-01). */
const NOTICE_MS = 30 * 60_000
const GONE_MS = 15 * 60_000
const READY_MS = 15 * 60_000
/** A new pod and a notice are work within seconds. The timer of the app finds all work again within a minute. */
const REACTS_MS = 2 * 60_000
const VERSION = '2025-04-01'

type EvictionOf = { readonly app: SmokeApp; readonly made: Made | undefined }

export async function evictionStep(run: SmokeRun, { app, made }: EvictionOf, signal: AbortSignal): Promise<StepOutcome> {
  if (made !== undefined && made.machine.capacityType !== 'spot') return skipped(NO_SPOT)
  if ('name' in app) return evictedThroughApp(run, app.name, signal)
  const outcome = await evictedByHand(run, made, signal)
  return { ...outcome, text: `${outcome.text}; not through the app: ${app.why}` }
}

const NO_SPOT = 'Azure gave no spot machine, and no other is evicted'

async function evictedThroughApp(run: SmokeRun, app: string, signal: AbortSignal): Promise<StepOutcome> {
  await startTrial(run, signal)
  const claim = await newClaim(run, [], REACTS_MS, signal)
  if (!claim.ok) return failed(`app ${app} makes no machine for a pod: ${claim.error}; ${TO_DO}`)
  const node = await readyNode(run, claim.value, READY_MS, signal)
  if (!node.ok) return failed(`app ${app} brings no node for a pod: ${node.error}`)
  const evicted = { claim: claim.value, node: { name: node.value } }
  const noticed = await untilNoticed(run, evicted, signal, () => isClosedByApp(run, evicted, signal))
  if (!noticed.ok) return failed(noticed.error)
  const { askedAt, noticeSeconds } = noticed.value
  const closed = await waitFor(run, REACTS_MS, () => isClosedByApp(run, evicted, signal), signal)
  if (closed === undefined)
    return failed(
      `app ${app} did not react within ${REACTS_MS / 60_000} minutes of the notice: node ${node.value} has no taint ${TAINT_KEY.disrupted}, and NodeClaim ${claim.value.name} is not deleted; ${TO_DO}`,
    )
  const closedSeconds = secondsSince(askedAt, run)
  const next = await newClaim(run, [claim.value.name], REACTS_MS, signal)
  if (!next.ok) return failed(`app ${app} closed node ${node.value}, and made no machine in its place: ${next.error}; ${TO_DO}`)
  const ready = await readyNode(run, next.value, READY_MS, signal)
  if (!ready.ok) return failed(`app ${app} brings no node in place of ${node.value}: ${ready.error}`)
  const replacedSeconds = secondsSince(askedAt, run)
  if (!(await isMachineGone(run, evicted, signal))) return failed(`the evicted machine ${node.value} is still there`)
  const figures = { noticeSeconds, closedSeconds, replacedSeconds, goneSeconds: secondsSince(askedAt, run) }
  return done(
    `notice after ${noticeSeconds} s, node closed by app ${app} after ${closedSeconds} s, replaced after ${replacedSeconds} s`,
    figures,
  )
}

const TO_DO = 'to do: npx joiner status, then docs/troubleshoot.md#a-spot-machine-goes-and-the-app-does-nothing'

/** Reports whether the app has begun to end the node. The node may be gone already when smoke looks. */
async function isClosedByApp(run: SmokeRun, { claim, node: { name } }: ProbePlace, signal: AbortSignal): Promise<true | undefined> {
  const node = await run.cluster.api.getNode(nodeName(name), signal)
  if (node?.taints.some(({ key }) => key === TAINT_KEY.disrupted) === true) return true
  const found = (await trialClaims(run, signal)).find((each) => each.name === claim.name)
  return found === undefined || found.isDeleted ? true : undefined
}

async function evictedByHand(run: SmokeRun, before: Made | undefined, signal: AbortSignal): Promise<StepOutcome> {
  const spot = before === undefined ? await makeMachine(run, 'default', signal) : ok(before)
  if (!spot.ok) return failed(`no machine to evict: ${spot.error}`)
  const made = spot.value
  if (made.machine.capacityType !== 'spot') return skipped(NO_SPOT)
  const noticed = await untilNoticed(run, made, signal)
  if (!noticed.ok) return failed(noticed.error)
  const { askedAt, noticeSeconds } = noticed.value
  const replaced = await replace(run, made, signal)
  if (!replaced.ok) return failed(replaced.error)
  const { readySeconds: replacedSeconds } = replaced.value
  const figures = { noticeSeconds, replacedSeconds, goneSeconds: secondsSince(askedAt, run) }
  return done(`notice after ${noticeSeconds} s, node closed, replaced after ${replacedSeconds} s`, figures)
}

/** `askedAt`: when Azure was asked for the eviction. */
type Noticed = { readonly askedAt: EpochMs; readonly noticeSeconds: number }

/** Has Azure evict the machine, and waits for its notice on the machine. An app that closed the node had the notice, and may have ended the pod. */
async function untilNoticed(
  run: SmokeRun,
  place: ProbePlace,
  signal: AbortSignal,
  isClosed?: () => Promise<true | undefined>,
): Promise<Result<Noticed, string>> {
  await startProbe(run, place, 'notice', signal)
  if (!(await isProbeReady(run, place, 'notice', LISTENS_MS, signal)))
    return err(`a pod on ${place.node.name} gets no answer of the metadata service`)
  const askedAt = run.clock.now()
  const evicted = await run.arm({ method: 'POST', path: `${machinePath(run, place)}/simulateEviction`, version: VERSION }, signal)
  if (!isFine(evicted)) return err(`Azure does not simulate the eviction: ${refusalOf(evicted)}`)
  const end = await endOfProbe(run, place, 'notice', NOTICE_MS, signal)
  if (typeof end === 'string')
    return (await isClosed?.()) === true ? ok({ askedAt, noticeSeconds: secondsSince(askedAt, run) }) : err(`no notice came: ${end}`)
  if (end.exitCode !== 0) return err(`no notice came: the pod that waits for it ended with ${end.exitCode}`)
  return ok({ askedAt, noticeSeconds: secondsSince(askedAt, run) })
}

/** Closes the node, makes another machine, and waits until the evicted one is gone. */
async function replace(run: SmokeRun, made: Made, signal: AbortSignal): Promise<Result<Made, string>> {
  if (!(await isNodeClosed(run, made, signal))) return err(`node ${made.node.name} could not be closed before its machine was gone`)
  const replaced = await makeMachine(run, 'default', signal)
  if (!replaced.ok) return err(`no machine replaces the evicted one: ${replaced.error}`)
  return (await isMachineGone(run, made, signal)) ? replaced : err(`the evicted machine ${made.node.name} is still there`)
}

async function isMachineGone(run: SmokeRun, place: ProbePlace, signal: AbortSignal): Promise<boolean> {
  const look = async (): Promise<true | undefined> => {
    const { status } = await run.arm({ method: 'GET', path: machinePath(run, place), version: VERSION }, signal)
    return status === 404 ? true : undefined
  }
  return (await waitFor(run, GONE_MS, look, signal)) ?? false
}

function machinePath(run: SmokeRun, { node }: ProbePlace): string {
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
