/** A machine may have no zone. Its zone label is then 0, which must not appear in a sentence for a person. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'

/** A zone that is inserted into a sentence without a check. */
const SAID = /\bzone \$\{/
const SAYS_IT = 'shared/model/inWords.ts'

describe('a sentence about a zone', () => {
  const files = sourceFiles(repositoryRoot).filter((file) => /^(shared|functions|shim)\//.test(file) && !isTestFile(file))

  it('is made by the one function that knows of machines without a zone', () => {
    const found = files.filter((file) => SAID.test(readFileSync(join(repositoryRoot, file), 'utf8')))
    expect(found).toEqual([SAYS_IT])
  })
})
