/** What a suite of Karpenter came to, read from the report of its runner. */
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

type PeerSpec = { readonly name: string; readonly state: string; readonly seconds: number; readonly why: string }

export type PeerOutcome = {
  readonly passed: readonly PeerSpec[]
  /** Specs that skip themselves, with their reason. */
  readonly skipped: readonly PeerSpec[]
  readonly failed: readonly PeerSpec[]
}

/** Reads the report. Specs that the focus left out do not count. A failure outside of a spec counts as one. */
export function readPeerReport(json: unknown): PeerOutcome {
  const specs = Report.parse(json).flatMap(({ SpecReports }) => SpecReports)
  const named = specs.flatMap((spec) => (isOne(spec) ? [peerSpec(spec)] : []))
  const of = (...states: readonly string[]): readonly PeerSpec[] => named.filter(({ state }) => states.includes(state))
  return {
    passed: of('passed'),
    skipped: of('skipped', 'pending').filter(({ why }) => why !== ''),
    failed: named.filter(({ state }) => !['passed', 'skipped', 'pending'].includes(state)),
  }
}

/** The outcome in lines: each spec that did not pass, then the counts. */
export function peerLines(suite: string, { passed, skipped, failed }: PeerOutcome): readonly string[] {
  const line = ({ name, state, seconds, why }: PeerSpec): string => `${state} after ${Math.round(seconds)} s: ${name}\n  ${why}`
  const all = passed.length + skipped.length + failed.length
  return [...skipped.map(line), ...failed.map(line), `${suite}: ${passed.length} of ${all} pass, ${skipped.length} skip themselves`]
}

function isOne({ LeafNodeType, State }: z.infer<typeof Spec>): boolean {
  return LeafNodeType === 'It' || !['passed', 'skipped', 'pending'].includes(State)
}

function peerSpec({ ContainerHierarchyTexts, LeafNodeType, LeafNodeText, State, RunTime, Failure }: z.infer<typeof Spec>): PeerSpec {
  const text = LeafNodeText === '' ? LeafNodeType : LeafNodeText
  const name = [...(ContainerHierarchyTexts ?? []), text].filter((each) => each !== '').join(' > ')
  return { name, state: State, seconds: RunTime / 1e9, why: (Failure?.Message ?? '').trim() }
}
