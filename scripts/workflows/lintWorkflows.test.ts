import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { CACHE } from '../../local/goPrograms.ts'
import { repositoryRoot } from '../floors.ts'
import { findActionlint, lintObstacle, lintWorkflow } from './lintWorkflows.ts'

const obstacle = lintObstacle(CACHE, process.env['PATH'] ?? '')
const textOf = (file: string): string => readFileSync(join(repositoryRoot, '.github/workflows', file), 'utf8')

/** Mistakes: each is an edit of a correct workflow, and the message that it must cause. */
const MISTAKES: readonly [file: string, from: string, to: string, said: RegExp][] = [
  ['check.yaml', 'timeout-minutes: 90', 'timeout-minute: 90', /unexpected key "timeout-minute"/],
  ['check.yaml', 'runs-on: ubuntu-24.04', 'runs-on: ubuntu-24.4', /label "ubuntu-24.4" is unknown/],
  ['check.yaml', 'pull_request:', 'pull_requests:', /unknown Webhook event "pull_requests"/],
  ['release.yaml', 'needs: build', 'needs: builds', /job "publish" needs job "builds"/],
  ['release.yaml', 'steps.push.outputs.image', 'steps.pushed.outputs.image', /property "pushed" is not defined/],
  ['release.yaml', 'contents: read', 'contents: reads', /"reads" is invalid as permission/],
  ['end-to-end.yaml', 'inputs.location', 'inputs.region', /property "region" is not defined/],
  ['end-to-end.yaml', 'if: always()', 'if: allways()', /undefined function "allways"/],
  ['what-if.yaml', '17 5 * * 1', '17 25 * * 1', /invalid CRON format/],
]

describe.skipIf(obstacle !== undefined)('the workflows', () => {
  let actionlint: string
  beforeAll(async () => {
    actionlint = await findActionlint(CACHE, () => undefined)
  })

  it.each(['check.yaml', 'end-to-end.yaml', 'release.yaml', 'what-if.yaml'])('%s has nothing that GitHub would refuse', async (file) => {
    expect(await lintWorkflow(actionlint, textOf(file))).toEqual([])
  })

  it.each(MISTAKES)('are told of a mistake: %s with %s as %s', async (file, from, to, said) => {
    const text = textOf(file)
    expect(text).toContain(from)
    expect((await lintWorkflow(actionlint, text.replace(from, to))).join('\n')).toMatch(said)
  })
})
