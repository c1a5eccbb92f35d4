import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CRD_FOLDER, crdFiles } from './crdFiles.ts'
import { repositoryRoot } from './floors.ts'

describe('the chart of the custom resources', () => {
  const files = crdFiles()

  for (const { path, text } of files) {
    it(`${path} is what the schemas give now (npm run generate)`, () => {
      expect(readFileSync(join(repositoryRoot, path), 'utf8')).toBe(text)
    })
  }

  it.each(files)('$path is a template that says the same to Helm and to kubectl, and is kept by an uninstall', ({ text }) => {
    expect(text).not.toContain('{{')
    expect(text).toContain('helm.sh/resource-policy: keep')
  })

  it('has no file the schemas do not give', () => {
    const present = readdirSync(join(repositoryRoot, CRD_FOLDER)).map((name) => `${CRD_FOLDER}/${name}`)
    expect(present.sort()).toEqual(files.map(({ path }) => path).sort())
  })
})
