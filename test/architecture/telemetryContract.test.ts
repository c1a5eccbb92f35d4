import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'
import { METRICS } from '../../shared/model/metrics.ts'
import { EVENTS } from '../../shared/model/telemetryContract.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const sources = ['shared', 'functions'].flatMap((folder) =>
  sourceFiles(join(repositoryRoot, folder))
    .filter((path) => !isTestFile(path))
    .map((path) => join(folder, path)),
)
/** The first arguments of the calls of a telemetry method, if written as string literals. */
const toldBy = (method: string): readonly string[] =>
  sources.flatMap((path) =>
    [...read(path).matchAll(new RegExp(`(?:telemetry|series)\\.${method}\\(\\s*'([^']+)'`, 'g'))].map(([, name = '']) => name),
  )

describe('the telemetry contract', () => {
  it('lists no metric that nothing measures, and no event that nothing tells', () => {
    expect([...new Set([...toldBy('measure'), ...toldBy('add')])].sort()).toEqual(Object.keys(METRICS).sort())
    expect([...new Set(toldBy('event'))].sort()).toEqual(Object.keys(EVENTS).sort())
  })
})
