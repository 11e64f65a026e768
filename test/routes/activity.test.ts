import { testArea } from './asked.ts'

testArea('activity')
