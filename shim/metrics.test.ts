import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

describe('what /metrics shows', () => {
  it('is what docs/operations.md names, each with the same words', async () => {
    const page = readFileSync(join(import.meta.dirname, '../docs/operations.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `((?:joiner_shim|process)_\w+)` \| (.+) \|$/gm)].map(([, name, help]) => `${name} ${help}`)
    const shown = [...(await createMetrics().text()).matchAll(/^# HELP (.+)$/gm)].map(([, line]) => line)
    expect(rows.length).toBeGreaterThan(0)
    expect(shown.sort()).toEqual(rows.sort())
  })
})
