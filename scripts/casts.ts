// Counts what the type checker has to trust, from the syntax tree: casts, non-null assertions and suppressions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { isTestFile } from './floors.ts'

export type TrustCounts = {
  /** `x as T` outside the folders that may cast. `as const` does not count. */
  readonly casts: number
  /** `x!`. */
  readonly nonNull: number
  /** Comments that silence a check. */
  readonly suppressions: number
}

const CAST_PLACES = /^(shared\/base|shared\/wire|test|bench)\//
const SUPPRESSION = /\/[/*]\s*(oxlint-disable|eslint-disable|biome-ignore|@ts-expect-error|@ts-ignore|@ts-nocheck|v8 ignore)/
const EXPLAINED = [
  /(oxlint|eslint)-disable[a-z-]* [a-z0-9@/-]+ -- \S/,
  /@ts-expect-error:? \S/,
  /biome-ignore [a-zA-Z/]+: \S/,
  /v8 ignore \w+ -- \S/,
]

export function countTrust(source: string, path: string): TrustCounts {
  const counts = { casts: 0, nonNull: 0, suppressions: 0 }
  visit(parseSync(source, { syntax: 'typescript', target: 'es2024' }), (type) => {
    if (type === 'TsAsExpression' || type === 'TsTypeAssertion') counts.casts += 1
    if (type === 'TsNonNullExpression') counts.nonNull += 1
  })
  if (isTestFile(path) || CAST_PLACES.test(path)) counts.casts = 0
  counts.suppressions = suppressionLines(source).length
  return counts
}

/** Returns the suppressions that do not name exactly one rule with a reason on the same line. */
export function unexplainedSuppressions(source: string): readonly string[] {
  return suppressionLines(source).filter((line) => !EXPLAINED.some((form) => form.test(line)))
}

export function countTree(root: string, files: readonly string[]): TrustCounts {
  const counts = files.map((file) => countTrust(readFileSync(join(root, file), 'utf8'), file))
  const sum = (key: keyof TrustCounts): number => counts.reduce((total, one) => total + one[key], 0)
  return { casts: sum('casts'), nonNull: sum('nonNull'), suppressions: sum('suppressions') }
}

function suppressionLines(source: string): readonly string[] {
  return source.split('\n').filter((line) => SUPPRESSION.test(line))
}

function visit(node: unknown, see: (type: string) => void): void {
  if (typeof node !== 'object' || node === null) return
  if ('type' in node && typeof node.type === 'string') see(node.type)
  for (const child of Object.values(node)) visit(child, see)
}
