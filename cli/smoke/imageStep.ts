/** Step 2: one machine of each kind boots as the app would make it, joins, and runs a pod. */
import { KINDS, type KindName, type MachineKind } from './kinds.ts'
import { type Made, makeMachine } from './makeMachine.ts'
import { endOfProbe, removeProbe, startProbe } from './probe.ts'
import { done, failed, type SmokeRun, type StepOutcome, skipped } from './smokeRun.ts'

/** A pull of the image, and a first start. */
const PROBE_MS = 5 * 60_000

/** Returns the outcome, and the last machine that is there. */
export async function imageStep(
  run: SmokeRun,
  kinds: readonly KindName[],
  signal: AbortSignal,
): Promise<{ readonly outcome: StepOutcome; readonly made?: Made }> {
  const booted: string[] = []
  const left: string[] = []
  const figures: { [name: string]: number } = {}
  let last: Made | undefined
  for (const kind of kinds) {
    const { whyNot }: MachineKind = KINDS[kind]
    const why = whyNot?.(run.cluster.config)
    if (why !== undefined) {
      left.push(`${kind}: ${why}`)
      continue
    }
    if (last !== undefined) await run.cluster.cloud.terminate(last.claim.name, signal)
    const made = await makeMachine(run, kind, signal)
    if (!made.ok) return { outcome: failed(`${kind}: ${made.error}`) }
    last = made.value
    const wrong = await checkedByPod(run, made.value, signal)
    if (wrong !== undefined) return { outcome: failed(`${kind}: ${wrong}`), made: last }
    const { machine, readySeconds } = made.value
    booted.push(`${imageName(machine.imageId)} boots on ${machine.size}, ${machine.capacityType}`)
    figures[`${kind}ReadySeconds`] = readySeconds
  }
  const text = [...booted, ...left.map((each) => `left out: ${each}`)].join('; ')
  return { outcome: last === undefined ? skipped(text) : done(text, figures), ...(last === undefined ? {} : { made: last }) }
}

/** Runs a pod on the machine, and keeps its boot log. Returns what does not work. */
async function checkedByPod(run: SmokeRun, made: Made, signal: AbortSignal): Promise<string | undefined> {
  await startProbe(run, made, 'dns', signal)
  const end = await endOfProbe(run, made, 'dns', PROBE_MS, signal)
  if (typeof end === 'string') return `a pod on ${made.node.name} does not run: ${end}`
  await removeProbe(run, made, 'dns', signal)
  const bootLog = run.redactor.text(end.message)
  run.journal.change((record) => ({
    ...record,
    machines: record.machines.map((each) => (each.claim === made.machine.claim ? { ...each, bootLog } : each)),
  }))
  return end.exitCode === 0 ? undefined : `a pod on ${made.node.name} finds no address of the API server in DNS: ${bootLog}`
}

/** `AKSUbuntu-2204gen2containerd 202511.07.0`, from the id of an image of a gallery. */
function imageName(id = ''): string {
  const [, image, version] = /\/images\/([^/]+)(?:\/versions\/([^/]+))?$/i.exec(id) ?? []
  return image === undefined ? id : [image, version].filter((part) => part !== undefined).join(' ')
}
