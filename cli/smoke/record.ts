/** The record of a smoke run: what it did, what it made, and each answer of Azure. It is a file that may be shown to anybody. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { err, messageOf, ok, type Result } from '../../shared/base/result.ts'

/** The steps in their order. `docs/first-deployment.md` names them. */
export const STEPS = ['rights', 'image', 'eviction', 'end', 'record'] as const
export type StepName = (typeof STEPS)[number]

const step = z.object({
  name: z.enum(STEPS),
  state: z.enum(['begun', 'done', 'failed', 'skipped']),
  /** What the step found, in words. */
  text: z.string().default(''),
  /** What it measured: seconds and counts by name. */
  figures: z.record(z.string(), z.number()).default({}),
})

const machine = z.object({
  claim: z.string(),
  kind: z.string(),
  size: z.string(),
  zone: z.string(),
  capacityType: z.enum(['spot', 'on-demand', 'reserved']),
  imageId: z.string().optional(),
  /** The end of the boot log, without secrets. */
  bootLog: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
})

const answer = z.object({
  method: z.string(),
  /** The path with a placeholder for each name. */
  path: z.string(),
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown().optional(),
  /** Number of answers with this method, path, status and form. The record keeps headers and body of the first one. */
  times: z.number().int().min(1),
})

const record = z.strictObject({
  version: z.literal(1),
  /** Tag of everything that the run makes. */
  run: z.string().regex(/^[a-z0-9]{6}$/),
  startedAt: z.iso.datetime(),
  kinds: z.array(z.string()),
  steps: z.array(step),
  machines: z.array(machine),
  answers: z.array(answer),
})

export type SmokeRecord = z.output<typeof record>
export type SmokeAnswer = z.output<typeof answer>
export type SmokeStep = z.output<typeof step>
export type SmokeMachine = z.output<typeof machine>

/** Returns the record in a text, or a sentence that says why it is none. */
export function parseRecord(text: string): Result<SmokeRecord, string> {
  try {
    const read = record.safeParse(JSON.parse(text))
    if (read.success) return ok(read.data)
    const [issue] = read.error.issues
    return err(`${issue?.path.join('.')}: ${issue?.message}`)
  } catch (cause) {
    return err(messageOf(cause))
  }
}

export function newRecord(run: string, startedAt: Date, kinds: readonly string[]): SmokeRecord {
  return { version: 1, run, startedAt: startedAt.toISOString(), kinds: [...kinds], steps: [], machines: [], answers: [] }
}

/** Returns the record with a step in its newest state. */
export function withStep(held: SmokeRecord, next: SmokeStep): SmokeRecord {
  const steps = held.steps.filter(({ name }) => name !== next.name)
  return { ...held, steps: [...steps, next].sort((one, other) => STEPS.indexOf(one.name) - STEPS.indexOf(other.name)) }
}

/** Returns the record with a machine in its newest state. */
export function withMachine(held: SmokeRecord, next: SmokeMachine): SmokeRecord {
  return { ...held, machines: [...held.machines.filter(({ claim }) => claim !== next.claim), next] }
}

/** The file that a run keeps its record in. */
export type RecordFile = { readonly read: () => Result<SmokeRecord, string>; readonly write: (record: SmokeRecord) => void }

/** A write replaces the file as a whole, so that a run that is killed leaves the old record or the new one. Only this user can read the file. */
export function recordFile(path: string): RecordFile {
  return {
    read: () => (existsSync(path) ? parseRecord(readFileSync(path, 'utf8')) : err('there is no such file')),
    write: (held) => {
      writeFileSync(`${path}.new`, `${JSON.stringify(held, undefined, 2)}\n`, { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}
