import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startInformer } from '../../local/cluster/client/informer.ts'
import { PODS } from '../../local/cluster/client/resource.ts'
import { isRunning } from '../../local/demo/printPods.ts'
import { type HarshReport, REPORT_CATEGORY } from '../../local/host/reportToParent.ts'
import { applyManifests } from '../../local/stack/applyManifests.ts'
import { POOL_PATH, poolReady } from '../../local/stack/poolReady.ts'
import { type Stack, startStack } from '../../local/stack/startStack.ts'
import { messageOf } from '../../shared/base/result.ts'
import { type Bill, billedSeconds, type MachineBill, type Outside, outsideInvocations } from './billing.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const EXAMPLES = join(ROOT, 'examples', 'quickstart')
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/inflate'
const LOOK_EVERY_MS = 50
/** Before each scene nothing comes in for this long, so that idle processes are stopped and killed. */
const QUIET_MS = 12_000
/** A harsh host may take minutes to say that the pool is ready, which is no part of the story. */
const READY_MS = 240_000
/** After a machine has come or gone, its last steps are billed for this long at most. */
const AFTERWARDS_MS = 60_000
const NOTICE = 'Azure announces the eviction'

/** `seconds` is NaN if it never came. `note` says what there was instead. */
export type Scene = { readonly seconds: number; readonly billed: number; readonly note: string }

export type Story = { readonly mode: string; readonly five: Scene; readonly fifty: Scene; readonly spot: Scene; readonly outside: Outside }

export type StoryOptions = {
  readonly mode: string
  readonly harsh: readonly string[]
  readonly hostFile: string
  readonly speed: number
  readonly limitMs: number
}

/** Plays one story: five pods start, then fifty, and then a spot machine gets a notice. The story has a stack of its own. */
export async function playStory({ mode, harsh, hostFile, speed, limitMs }: StoryOptions): Promise<Story> {
  let noticedAt = 0
  const { stack, reports } = await startHarshStack({ harsh, hostFile, speed }, (text) => {
    if (text.startsWith(NOTICE)) noticedAt = Date.now()
  })
  try {
    const why = await prepare(stack).then(() => undefined, messageOf)
    if (why !== undefined) {
      const never: Scene = { seconds: Number.NaN, billed: 0, note: `never (${why})` }
      return { mode, five: never, fifty: never, spot: never, outside: outsideInvocations(reports) }
    }
    const five = await scale(stack, reports, 5, limitMs)
    const fifty = await scale(stack, reports, 50, limitMs)
    const spot = await evict(stack, reports, limitMs, () => noticedAt)
    return { mode, five, fifty, spot, outside: outsideInvocations(reports) }
  } finally {
    await stack.close()
  }
}

type HarshStack = { readonly stack: Stack; readonly reports: HarshReport[] }

async function startHarshStack(
  { harsh, hostFile, speed }: Pick<StoryOptions, 'harsh' | 'hostFile' | 'speed'>,
  onNotice: (text: string) => void,
): Promise<HarshStack> {
  const reports: HarshReport[] = []
  const stack = await startStack({
    speed,
    directory: mkdtempSync(join(ROOT, '.local', 'harsh-')),
    kubernetesPort: 0,
    functionsPort: 0,
    harsh,
    hostFile,
    onAppLine: (line) => reports.push(...reportsIn(line)),
    onShimLine: () => undefined,
    onNotice,
  })
  return { stack, reports }
}

/** Plays one machine after another, each for one pod. */
export async function playMachines(
  { harsh, hostFile, limitMs, speed }: Omit<StoryOptions, 'mode'>,
  count: number,
): Promise<readonly MachineBill[]> {
  const { stack, reports } = await startHarshStack({ harsh, hostFile, speed }, () => undefined)
  const bills: MachineBill[] = []
  try {
    await prepare(stack)
    const machines = (): number => stack.azure.state().vms.length
    const before = machines()
    const pods = startInformer(PODS, { client: stack.client, query: { labelSelector: 'app=inflate' } })
    await pods.synced
    const isRunningNow = (): boolean => [...pods.items()].some(isRunning)
    for (let at = 0; at < count; at++) {
      bills.push({
        comes: await billOf(stack, reports, limitMs, { replicas: 1, isDone: isRunningNow }),
        goes: await billOf(stack, reports, limitMs, { replicas: 0, isDone: () => machines() === before }),
      })
    }
    pods.close()
    return bills
  } finally {
    await stack.close()
  }
}

type Change = { readonly replicas: number; readonly isDone: () => boolean }

async function billOf(stack: Stack, reports: readonly HarshReport[], limitMs: number, { replicas, isDone }: Change): Promise<Bill> {
  await sleep(QUIET_MS)
  const startedAt = Date.now()
  await patch(stack, DEPLOYMENT, { replicas })
  if (!(await within(limitMs, isDone))) throw new Error(`${replicas} replicas: not done after ${limitMs / 1_000} s`)
  await sleep(AFTERWARDS_MS)
  const endedAt = Date.now()
  return { billed: billedBetween(reports, startedAt, endedAt), seconds: (endedAt - startedAt) / 1_000 }
}

function reportsIn(line: string): readonly HarshReport[] {
  if (!line.includes(`"${REPORT_CATEGORY}"`)) return []
  const { message } = JSON.parse(line) as { readonly message: string }
  return [JSON.parse(message) as HarshReport]
}

async function prepare(stack: Stack): Promise<void> {
  const signal = AbortSignal.timeout(2 * READY_MS)
  await applyManifests(stack.client, join(EXAMPLES, 'nodepool.yaml'), signal)
  await poolReady(stack.client, signal, READY_MS)
  await patch(stack, POOL_PATH, { limits: { cpu: 200 } })
  await applyManifests(stack.client, join(EXAMPLES, 'inflate.yaml'), signal)
  await patch(stack, DEPLOYMENT, { replicas: 0 })
}

async function patch({ client }: Stack, path: string, spec: object): Promise<void> {
  const contentType = 'application/merge-patch+json'
  const answer = await client.send({ method: 'PATCH', path, body: { spec }, contentType, signal: AbortSignal.timeout(10_000) })
  if (!answer.ok) throw new Error(`PATCH ${path}: ${answer.error.message}`)
}

/** The time from the scaling to the last call that makes a machine for these pods. */
async function scale(stack: Stack, reports: HarshReport[], replicas: number, limitMs: number): Promise<Scene> {
  await sleep(QUIET_MS)
  const pods = startInformer(PODS, { client: stack.client, query: { labelSelector: 'app=inflate' } })
  await pods.synced
  const startedAt = Date.now()
  await patch(stack, DEPLOYMENT, { replicas })
  const running = () => [...pods.items()].filter(isRunning).length
  const isDone = await within(limitMs, () => running() >= replicas)
  const endedAt = Date.now()
  const note = isDone ? '' : `never (${running()} of ${replicas} after ${limitMs / 1_000} s)`
  pods.close()
  const calls = stack.azure.requests
    .all()
    .filter(({ at, method, type }) => method === 'PUT' && type === 'virtualMachines' && at >= startedAt)
  const last = calls.filter(({ at }) => at <= endedAt).reduce((latest, { at }) => Math.max(latest, at), startedAt)
  return { seconds: isDone ? (last - startedAt) / 1_000 : Number.NaN, billed: billedBetween(reports, startedAt, endedAt), note }
}

/** The time from the notice for a spot machine to its end. */
async function evict(stack: Stack, reports: HarshReport[], limitMs: number, noticedAt: () => number): Promise<Scene> {
  await sleep(QUIET_MS)
  const startedAt = Date.now()
  const machine = stack.azure.state().vms.find(({ priority }) => priority === 'Spot')
  if (machine === undefined) return { seconds: Number.NaN, billed: 0, note: 'there is no spot machine' }
  await stack.evict(machine.name)
  const isDone = await within(limitMs, () => stack.azure.state().vms.every(({ name }) => name !== machine.name))
  const endedAt = Date.now()
  const note = isDone ? '' : `never (the machine is there after ${limitMs / 1_000} s)`
  return { seconds: isDone ? (endedAt - noticedAt()) / 1_000 : Number.NaN, billed: billedBetween(reports, startedAt, endedAt), note }
}

function billedBetween(reports: readonly HarshReport[], startedAt: number, endedAt: number): number {
  return billedSeconds(
    reports.filter(({ at }) => at >= startedAt && at <= endedAt),
    endedAt,
  )
}

async function within(limitMs: number, isDone: () => boolean): Promise<boolean> {
  const until = Date.now() + limitMs
  while (!isDone()) {
    if (Date.now() > until) return false
    await sleep(LOOK_EVERY_MS)
  }
  return true
}
