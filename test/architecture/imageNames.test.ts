/** The chart, the release workflow and the pages name one repository of the image, and one registry. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { chartImage } from '../../cli/preflight/shimImage.ts'
import { repositoryRoot, walk } from '../../scripts/floors.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const { repository } = chartImage()
const registry = repository.slice(0, repository.lastIndexOf('/'))

describe('the name of the image', () => {
  it('is that to which a release is pushed', () => {
    const workflow = read('.github/workflows/release.yaml')
    expect((parse(workflow) as { env: object }).env).toEqual({ REGISTRY: registry })
    const pushed = [...workflow.matchAll(/"docker:\/\/([^:"]+):\$version"/g)].map(([, name = '']) => name.replace('$REGISTRY', registry))
    expect(pushed).toEqual([repository])
    expect(workflow).toContain('--image "$REGISTRY/shim"')
  })

  it('is the same wherever a file names it', () => {
    const folders = ['charts', 'docs', 'infra', 'cli', 'scripts', 'shim', 'examples', '.github']
    const named = folders.flatMap((folder) =>
      walk(join(repositoryRoot, folder), (name) => /\.(ya?ml|md|ts|json|bicep)$/.test(name) && !name.endsWith('.test.ts')).flatMap((path) =>
        [...read(join(folder, path)).matchAll(/ghcr\.io\/[\w./-]+/g)].map(([name]) => name),
      ),
    )
    expect(named.length).toBeGreaterThan(2)
    expect(named.filter((name) => name !== repository && name !== registry)).toEqual([])
    expect(read('docs/install.md')).toContain(`\`${repository}\``)
  })
})
