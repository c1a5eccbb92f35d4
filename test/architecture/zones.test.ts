/** A machine may be in no zone, and its label then says 0: no sentence for a person may. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'

/** A zone that is written into a sentence as it is. */
const SAID = /\bzone \$\{/
const SAYS_IT = 'shared/model/inWords.ts'

describe('a sentence about a zone', () => {
  const files = sourceFiles(repositoryRoot).filter((file) => /^(shared|functions|shim)\//.test(file) && !isTestFile(file))

  it('is made by the one function that knows of machines without a zone', () => {
    const found = files.filter((file) => SAID.test(readFileSync(join(repositoryRoot, file), 'utf8')))
    expect(found).toEqual([SAYS_IT])
  })
})
