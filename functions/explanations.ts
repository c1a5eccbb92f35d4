import * as z from 'zod'
import { stableHash } from '../shared/base/stableHash.ts'
import type { ExplainRequest } from '../shared/model/explainRequest.ts'
import type { ClusterId } from '../shared/model/ids.ts'
import { PROBLEM_CODES } from '../shared/model/problem.ts'
import type { EpochMs } from '../shared/model/units.ts'
import type { AppDeps } from './appDeps.ts'

export type Deps = Pick<AppDeps, 'documents' | 'clock'>
export type ExplainQuestion = Omit<ExplainRequest, 'kind' | 'askedAt'>

/** How long an answer is valid: it says what a decision at that time would do. */
const FRESH_MS = 10_000
/** After this time the process that should answer may be dead, so the question is sent again. */
const PATIENCE_MS = 60_000
/** Documents are stored by the time span of their question. The current span and the previous one are kept. */
const SPAN_MS = 120_000

const explained = z.strictObject({ explanation: z.unknown(), text: z.array(z.string()) })
const refused = z.object({
  code: z.enum(PROBLEM_CODES),
  message: z.string(),
  object: z.string().optional(),
  path: z.string().optional(),
  retryAfterMs: z.number().optional(),
})
const stored = z.strictObject({
  v: z.literal(1),
  askedAt: z.number(),
  answer: z.strictObject({ at: z.number(), explained: explained.optional(), refused: refused.optional() }).optional(),
})

export type Stored = z.output<typeof stored>
export type StoredAnswer = NonNullable<Stored['answer']>

/** Returns the answer to a question, or the fact that it was asked. Undefined if it must be asked (again). */
export async function findExplanation(deps: Deps, question: ExplainQuestion, signal: AbortSignal): Promise<Stored | undefined> {
  const now = deps.clock.now()
  for (const span of [spanOf(now), spanOf(now) - 1]) {
    const found = await read(deps, pathOf(question, span), signal)
    if (found === undefined) continue
    return now - (found.answer?.at ?? found.askedAt) < validFor(found) ? found : undefined
  }
  return undefined
}

/** A refusal with a retry time is valid no longer than that time. */
function validFor({ answer }: Stored): number {
  return answer === undefined ? PATIENCE_MS : Math.min(FRESH_MS, answer.refused?.retryAfterMs ?? FRESH_MS)
}

/** Stores that the question was asked. */
export async function askForExplanation(
  { documents, clock }: Deps,
  question: ExplainQuestion,
  signal: AbortSignal,
): Promise<ExplainRequest> {
  const askedAt = clock.now()
  await write(documents, pathOf(question, spanOf(askedAt)), { v: 1, askedAt }, signal)
  return { kind: 'explain', ...question, askedAt }
}

/** Reports whether a caller may still wait for the answer: the question is fresh and has no answer yet. */
export async function isAwaited(deps: Deps, request: ExplainRequest, signal: AbortSignal): Promise<boolean> {
  const found = await read(deps, pathOf(request, spanOf(request.askedAt)), signal)
  return found !== undefined && found.answer === undefined && deps.clock.now() - found.askedAt < PATIENCE_MS
}

export async function keepAnswer(deps: Deps, request: ExplainRequest, answer: StoredAnswer, signal: AbortSignal): Promise<void> {
  await write(deps.documents, pathOf(request, spanOf(request.askedAt)), { v: 1, askedAt: request.askedAt, answer }, signal)
}

/** Removes documents that are too old to be shown. */
export async function forgetExplanations({ documents, clock }: Deps, cluster: ClusterId, signal: AbortSignal): Promise<void> {
  const folder = folderOf(cluster)
  const oldest = spanOf(clock.now()) - 1
  for (const path of await documents.list(folder, signal)) {
    if (!(Number.parseInt(path.slice(folder.length), 10) >= oldest)) await documents.remove(path, signal)
  }
}

const folderOf = (cluster: ClusterId): string => `explanations/${cluster}/`
const spanOf = (at: EpochMs): number => Math.floor(at / SPAN_MS)

function pathOf({ cluster, about, name }: ExplainQuestion, span: number): string {
  return `${folderOf(cluster)}${span}/${stableHash({ about, name })}`
}

async function read({ documents }: Deps, path: string, signal: AbortSignal): Promise<Stored | undefined> {
  const found = await documents.read(path, signal)
  const parsed = found && stored.safeParse(JSON.parse(found.value))
  return parsed?.success === true ? parsed.data : undefined
}

async function write(documents: Deps['documents'], path: string, value: Stored, signal: AbortSignal): Promise<void> {
  await documents.write(path, JSON.stringify(value), 'any', signal)
}
