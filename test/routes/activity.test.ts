import { testArea } from './rows.ts'

testArea('activity')
