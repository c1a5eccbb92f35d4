/** What a suite of Karpenter came to, read from the report of its runner, and compared with what is expected. */
import * as z from 'zod'

const Spec = z.object({
  ContainerHierarchyTexts: z.array(z.string()).nullable(),
  LeafNodeType: z.string(),
  LeafNodeText: z.string(),
  State: z.string(),
  /** Nanoseconds. */
  RunTime: z.number(),
  Failure: z.object({ Message: z.string().optional() }).optional(),
})
const Report = z.array(z.object({ SpecReports: z.array(Spec) }))

/** `skipped`: a spec that skips itself. */
export type PeerSpec = { readonly name: string; readonly state: string; readonly seconds: number; readonly why: string }

/** A spec that cannot hold. */
export type ListedSpec = { readonly name: string; readonly why: string }

/** Reads the specs. Specs that the focus left out do not count. A failure outside of a spec counts as one. */
export function readPeerReport(json: unknown): readonly PeerSpec[] {
  const specs = Report.parse(json).flatMap(({ SpecReports }) => SpecReports)
  return specs.flatMap((spec) => (isOne(spec) ? [peerSpec(spec)] : [])).filter(({ state, why }) => !isLeftOut(state) || why !== '')
}

export type PeerVerdict = { readonly lines: readonly string[]; readonly asExpected: boolean }

/** A listed spec must not pass, and each other one must. In a whole run, each listed spec must be there. */
export function judged(suite: string, specs: readonly PeerSpec[], listed: readonly ListedSpec[], isWhole: boolean): PeerVerdict {
  const reasons = new Map(listed.map(({ name, why }) => [name, why]))
  const passed = specs.filter(({ state }) => state === 'passed')
  const held = specs.filter((spec) => spec.state !== 'passed' && reasons.has(spec.name))
  const surprising = specs.filter((spec) => (spec.state === 'passed') === reasons.has(spec.name))
  const names = new Set(specs.map(({ name }) => name))
  const absent = isWhole ? listed.filter(({ name }) => !names.has(name)) : []
  const failed = specs.length - passed.length - held.length
  return {
    lines: [
      ...held.map(({ name, state }) => `listed, ${state}: ${name}\n  ${reasons.get(name) ?? ''}`),
      ...surprising.map(({ name, state, seconds, why }) => `${state} after ${Math.round(seconds)} s${says(state)}: ${name}\n  ${why}`),
      ...absent.map(({ name }) => `listed, but not in the suite: ${name}`),
      `${suite}: ${passed.length} of ${specs.length} pass, ${failed} do not, ${held.length} are listed`,
    ],
    asExpected: surprising.length === 0 && absent.length === 0 && specs.length > 0,
  }
}

function says(state: string): string {
  return state === 'passed' ? ', though it is listed' : ''
}

function isLeftOut(state: string): boolean {
  return state === 'skipped' || state === 'pending'
}

function isOne({ LeafNodeType, State }: z.infer<typeof Spec>): boolean {
  return LeafNodeType === 'It' || (State !== 'passed' && !isLeftOut(State))
}

function peerSpec({ ContainerHierarchyTexts, LeafNodeType, LeafNodeText, State, RunTime, Failure }: z.infer<typeof Spec>): PeerSpec {
  const text = LeafNodeText === '' ? LeafNodeType : LeafNodeText
  const name = [...(ContainerHierarchyTexts ?? []), text].filter((each) => each !== '').join(' > ')
  return { name, state: State, seconds: RunTime / 1e9, why: (Failure?.Message ?? '').trim() }
}
