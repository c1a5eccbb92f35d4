import { describe, expect, it } from 'vitest'
import { createOwnedParts } from './ownedParts.ts'

describe('what a start has begun', () => {
  it('is ended in reverse, one after another, and once', async () => {
    const parts = createOwnedParts()
    const said: string[] = []
    for (const name of ['first', 'second'])
      await parts.own(async () => {
        said.push(`${name} ends`)
        await Promise.resolve()
        said.push(`${name} has ended`)
      })
    expect(parts.ending.aborted).toBe(false)
    const closing = parts.close()
    expect(parts.ending.aborted).toBe(true)
    await Promise.all([closing, parts.close()])
    expect(said).toEqual(['second ends', 'second has ended', 'first ends', 'first has ended'])
  })

  it('after the end has come is ended at once, and the start fails', async () => {
    const parts = createOwnedParts()
    await parts.close()
    let ended = 0
    await expect(parts.own(() => (ended += 1))).rejects.toThrow('the stack was stopped while it started')
    expect(ended).toBe(1)
  })
})
