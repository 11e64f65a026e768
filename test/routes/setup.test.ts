import { testArea } from './asked.ts'

testArea('setup')
