import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot, walk } from '../../scripts/floors.ts'

/** The only file that may call the runner's own wait, which has a limit of one second. */
const HELPER = 'test/builders/eventually.ts'
const OWN_LIMIT = /\bvi\.wait(For|Until)\(|\bexpect\.poll\(.*\btimeout: \d|\bfor \(.*(Date\.now\(\) \+ \d|\btries < \d)/

function waitsOf(source: string): readonly string[] {
  return source.split('\n').filter((line) => OWN_LIMIT.test(line))
}

describe('a test that waits', () => {
  it('has no limit of its own, shorter than what hangs', () => {
    const files = walk(repositoryRoot, (name) => name.endsWith('.ts')).filter((path) => path !== HELPER && !path.endsWith('waits.test.ts'))
    const waits = files.flatMap((path) =>
      waitsOf(readFileSync(join(repositoryRoot, path), 'utf8')).map((line) => `${path}: ${line.trim()}`),
    )
    expect(files.length).toBeGreaterThan(100)
    expect(waits).toEqual([])
  })

  it.each([
    ['await vi.waitFor(() => expect(a).toBe(1))', 1],
    ['await vi.waitUntil(isSettled, { timeout: 10_000 })', 1],
    ['await expect.poll(() => a, { timeout: 5_000 }).toBe(1)', 1],
    ['for (const end = Date.now() + 5000; !isThere(); ) {', 1],
    ['for (let tries = 0; tries < 500; tries++) {', 1],
    ['for (const end = Date.now() + HANGS_AFTER_MS; ; ) {', 0],
    ['await expect.poll(() => a, { timeout: PATIENCE_MS }).toBe(1)', 0],
    ['await expect.poll(() => a).toBe(1)', 0],
  ])('is found: %s', (line, want) => expect(waitsOf(line)).toHaveLength(want))
})
