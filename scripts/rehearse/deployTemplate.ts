// Deploys a template as ARM does: evaluates it and puts one resource after the other, with the answers for the reads of later resources.
import type { Evaluation, Evaluator } from '../../infra/check/evaluate/evaluate.ts'
import type { DeploymentContext } from '../../infra/check/evaluate/frame.ts'
import {
  type Answer,
  type Json,
  type Read,
  readsOf,
  settle,
  toJson,
  type Value,
  type ValueObject,
} from '../../infra/check/evaluate/value.ts'
import { type ArmCaller, requireSuccess } from './armCaller.ts'

export type Deployment = {
  readonly outputs: Readonly<Record<string, Json>>
  readonly made: readonly string[]
  readonly changed: readonly string[]
}

export type DeployOptions = {
  readonly evaluator: Evaluator
  readonly arm: ArmCaller
  readonly main: string
  readonly parameters: ValueObject
  readonly deploymentContext: Partial<DeploymentContext>
}

export async function deployTemplate({ evaluator, arm, main, parameters, deploymentContext }: DeployOptions): Promise<Deployment> {
  const evaluation = evaluator.evaluate(main, parameters, { deploymentContext })
  if (evaluation.findings.length > 0)
    throw new Error(
      `${main} cannot be deployed: ${evaluation.findings.map(({ file, line, message }) => `${file}:${line} ${message}`).join('; ')}`,
    )
  const reads = createReads(arm)
  await requireExpected(evaluation, arm)
  const [made, changed]: [string[], string[]] = [[], []]
  for (const { id: declared, laterName, type, name, apiVersion, body } of evaluation.resources) {
    const id = laterName === undefined ? declared : withName(declared, textOf(await reads.settled(laterName)))
    const reply = await arm('PUT', id, apiVersion, objectOf(await reads.settled(body)))
    requireSuccess(`make ${type} ${name}`, reply)
    ;(reply.status === 201 ? made : changed).push(id)
    reads.forget(id)
  }
  return { outputs: objectOf(await reads.settled(evaluation.outputs)), made, changed }
}

const withName = (id: string, name: string): string => `${id.slice(0, id.lastIndexOf('/') + 1)}${name}`

/** Checks that the resources exist that the template expects and does not create. */
async function requireExpected({ expected, resources }: Evaluation, arm: ArmCaller): Promise<void> {
  const made = new Set(resources.map(({ id }) => id.toLowerCase()))
  for (const { id, type, apiVersion } of expected)
    if (!made.has(id.toLowerCase())) requireSuccess(`find ${type} ${id}, which the template expects`, await arm('GET', id, apiVersion))
}

function createReads(arm: ArmCaller) {
  const bodies = new Map<string, Json>()
  const load = async ({ resourceId, apiVersion, type }: Read): Promise<void> => {
    const key = resourceId.toLowerCase()
    if (!bodies.has(key)) bodies.set(key, requireSuccess(`read ${type} ${resourceId}`, await arm('GET', resourceId, apiVersion)))
  }
  const answer: Answer = (read) => {
    const found = read.path.reduce<Json | undefined>(memberOf, bodies.get(read.resourceId.toLowerCase()))
    if (found === undefined) throw new Error(`${read.file}:${read.line} ${read.type} has no ${read.path.join('.')} once it is made`)
    return found
  }
  return {
    async settled(value: Value): Promise<Json> {
      for (const read of readsOf(value)) await load(read)
      return toJson(settle(value, answer))
    },
    forget: (id: string) => void bodies.delete(id.toLowerCase()),
  }
}

function memberOf(value: Json | undefined, part: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === String(part))?.[1]
}

export function objectOf(value: Json): { readonly [name: string]: Json } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.fromEntries(Object.entries(value))
  throw new Error(`${JSON.stringify(value)} is no object`)
}

export function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value
  throw new Error(`${JSON.stringify(value)} is no text`)
}
