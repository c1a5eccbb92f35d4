import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../scripts/floors.ts'

type Step = { readonly uses?: string; readonly run?: string; readonly with?: { readonly [name: string]: unknown } }
type Job = {
  readonly permissions?: { readonly [scope: string]: string }
  readonly environment?: string
  readonly 'timeout-minutes'?: number
  readonly steps: readonly Step[]
}
type Workflow = {
  readonly on: { readonly [event: string]: unknown }
  readonly permissions?: unknown
  readonly concurrency?: { readonly group: string }
  readonly jobs: { readonly [name: string]: Job }
}

/** The permissions of jobs beyond reading the sources. A job that can write or has an identity of its own must run in a protected environment. */
const MAY: { readonly [job: string]: { readonly [scope: string]: string } } = {
  'release.yaml publish': { contents: 'write', packages: 'write', 'id-token': 'write', attestations: 'write' },
  'end-to-end.yaml demo': { contents: 'read', 'id-token': 'write' },
  'what-if.yaml what-if': { contents: 'read', 'id-token': 'write' },
}
const PINNED = /^\s*(?:- )?uses: ([\w./-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$/
/** Input that somebody else may have written. A shell command must get the input as a variable. */
const GIVEN = /\$\{\{/

const folder = join(repositoryRoot, '.github/workflows')
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')
const files = readdirSync(folder)
/** The files and folders at the root of the repository, without `release`, which a workflow makes. */
const FOLDERS: ReadonlySet<string> = new Set(readdirSync(repositoryRoot).filter((name) => name !== 'release'))
const scripts: object = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).scripts

describe('workflows', () => {
  it('are there', () =>
    expect(files.toSorted()).toEqual(['check.yaml', 'end-to-end.yaml', 'properties.yaml', 'release.yaml', 'what-if.yaml']))

  it('pin each action by commit with its version beside it, and everywhere the same', () => {
    const uses = files.flatMap((file) =>
      textOf(file)
        .split('\n')
        .filter((line) => /\buses:/.test(line)),
    )
    expect(uses.filter((line) => !PINNED.test(line))).toEqual([])
    const pins = new Map<string, Set<string>>()
    for (const [, action = '', commit = ''] of uses.map((line) => PINNED.exec(line) ?? []))
      pins.set(action, (pins.get(action) ?? new Set()).add(commit))
    expect([...pins].filter(([, commits]) => commits.size > 1)).toEqual([])
  })
})

describe.each(files)('%s', (file) => {
  const workflow: Workflow = parse(textOf(file))
  const jobs = Object.entries(workflow.jobs)
  const steps = jobs.flatMap(([, job]) => job.steps)

  it('gives each job what it needs and no more', () => {
    expect(workflow.permissions).toEqual({})
    for (const [name, { permissions, environment }] of jobs) {
      const may = MAY[`${file} ${name}`]
      expect(permissions, name).toEqual(may ?? { contents: 'read' })
      expect(environment !== undefined, `${name} has an environment`).toBe(may !== undefined)
    }
  })

  it('runs nothing of a stranger with our rights', () => {
    expect(Object.keys(workflow.on).filter((event) => ['pull_request_target', 'workflow_run', 'issue_comment'].includes(event))).toEqual([])
    expect(steps.filter(({ run }) => run !== undefined && GIVEN.test(run))).toEqual([])
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([])
  })

  it('does not run beside itself, nor for ever', () => {
    expect(workflow.concurrency?.group).toMatch(/./)
    expect(jobs.filter(([, job]) => !((job['timeout-minutes'] ?? 0) > 0))).toEqual([])
  })

  it('has scripts that bash can read', () => {
    for (const { run } of steps) {
      if (run === undefined) continue
      const { status, stderr } = spawnSync('bash', ['-n'], { input: run, encoding: 'utf8' })
      expect({ status, stderr }, run).toEqual({ status: 0, stderr: '' })
    }
  })

  it('names files of the repository that there are', () => {
    const words = steps.flatMap(({ run }) => run?.match(/(?<![\w./:@-])[\w.-]+(?:\/[\w.-]+)+/g) ?? [])
    const ours = words.filter((word) => FOLDERS.has(word.split('/')[0] ?? ''))
    for (const path of ours) expect(existsSync(join(repositoryRoot, path)), path).toBe(true)
  })

  it('runs scripts that there are', () => {
    const named = [...textOf(file).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name ?? '')
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    const paths = [...textOf(file).matchAll(/(?:--file|bash|go-version-file:) ([\w./-]+)/g)].map(([, path]) => path ?? '')
    for (const path of paths) expect(() => readFileSync(join(repositoryRoot, path)), path).not.toThrow()
  })
})
