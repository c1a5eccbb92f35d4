import { describe, expect, it } from 'vitest'
import { cruiseTree } from '../../scripts/cruise.ts'
import { repositoryRoot } from '../../scripts/floors.ts'

describe('the cruise of this repository', () => {
  // What it says about the imports is a step of its own in `npm run check`; here it only has to have looked.
  it('sees every module and its imports', async () => {
    const { modules, errors } = await cruiseTree(repositoryRoot)
    expect(errors.filter((error) => error.startsWith('the cruise'))).toEqual([])
    expect(modules).toBeGreaterThan(40)
  })
})
