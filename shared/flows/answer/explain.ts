import { err, ok, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { verdictOn } from '../../engine/disruption/verdicts/verdicts.ts'
import { leftOutText } from '../../engine/leftOut/decideAround.ts'
import { explainNode, explainPod } from '../../engine/scheduling/explain/explainPod.ts'
import type { ClaimExplanation, PodExplanation } from '../../engine/scheduling/explain/explanation.ts'
import { renderExplanation } from '../../engine/scheduling/explain/render.ts'
import type { LeftOut } from '../../model/decision.ts'
import { instanceNameOf, type MachineNames, nodeClaimName, type ObjectKey } from '../../model/ids.ts'
import { type Problem, problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { AbortSignalLike } from '../../ports/clock.ts'
import { takeDecisionContext } from '../decide/decisionContext.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { emptyLedger } from '../ledger/nextLedger.ts'
import type { ClusterReader } from '../state/catchUp.ts'
import { NOTHING_KNOWN } from '../state/mergedLog.ts'

/** The object that a question is about. `name` is the name of the claim or of its node. */
export type Question = { readonly kind: 'pod'; readonly key: ObjectKey } | { readonly kind: 'nodeClaim'; readonly name: string }

export type Answer = {
  readonly explanation: PodExplanation | ClaimExplanation
  /** The explanation in words, one entry per line. */
  readonly text: readonly string[]
}

const MISSING_RETRY_MS = 1_000

/** Explains what a decision made now would do with one pod or claim, and why. Commits nothing and takes no lease, so it delays no decision. */
export async function explain(
  deps: ClusterDeps,
  reader: ClusterReader,
  question: Question,
  signal: AbortSignalLike,
): Promise<Result<Answer, Problem>> {
  const now = deps.clock.now()
  const [{ state, missing }, loaded] = await Promise.all([reader.catchUp(now, signal), deps.ledger.load(signal)])
  if (missing !== undefined) {
    const what = missing === NOTHING_KNOWN ? missing : `the change log of the cluster is incomplete: ${missing}`
    const message = `${what}; the shim is asked to send it, ask again in a moment`
    return err(problem('STORE.LOG_GAP', message, { retryAfterMs: MISSING_RETRY_MS }))
  }
  if (!loaded.ok) return loaded
  const context = await takeDecisionContext(deps, state, loaded.value?.value ?? emptyLedger(deps.cluster), now, signal)
  const { snapshot, planned, leftOut = [] } = state.plan(context)
  const unreadable = state.invalid().find(({ kind, key }) => kind === question.kind && key === nameOf(question))
  if (unreadable !== undefined) return err(unreadable.problem)
  const left = leftOut.find((each) => isAbout(each, question, context.settings.machineNames))
  if (left !== undefined) {
    const object = `${left.kind.toLowerCase()}/${left.name}`
    return err(problem('INTERNAL.LEFT_OUT', `${object}: ${leftOutText(left)}`, { object }))
  }
  if (question.kind === 'pod') return answerOf(explainPod(snapshot, question.key, planned), now)
  const explained = explainNode(snapshot, question.name, planned)
  if (!explained.ok || explained.value.kind === 'new') return answerOf(explained, now)
  const disruption = verdictOn(explained.value.name, state.disrupt(context), snapshot.commands)
  return answerOf(ok(defined({ ...explained.value, disruption })), now)
}

function isAbout({ kind, name }: LeftOut, question: Question, names: MachineNames): boolean {
  if (question.kind === 'pod') return kind === 'pod' && name === question.key
  return (kind === 'nodeClaim' || kind === 'node') && [name, instanceNameOf(nodeClaimName(name), names)].includes(question.name)
}

function nameOf(question: Question): string {
  return question.kind === 'pod' ? question.key : question.name
}

function answerOf(explained: Result<PodExplanation | ClaimExplanation, Problem>, now: EpochMs): Result<Answer, Problem> {
  return explained.ok ? ok({ explanation: explained.value, text: renderExplanation(explained.value, now) }) : explained
}
