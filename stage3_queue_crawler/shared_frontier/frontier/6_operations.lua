-- ---- The operations ----

-- Is there already something that isn't ours? Nothing is undone when a script fails, so
-- look before the first write.
local function find_foreign()
    local kind = call('TYPE', META).ok
    if kind == 'none' then
        for _, name in ipairs({'urls', 'hosts', 'ready', 'parked', 'sessions', 'records',
                               'links', 'rules', 'ruled', 'history', 'inbox', 'outboxes',
                               'suspects', 'given_up', 'met', 'checks', 'ready_abroad',
                               'places', 'ended'}) do
            if call('EXISTS', key(name)) == 1 then return key(name) end
        end
    elseif kind ~= 'hash' or call('HEXISTS', META, 'format') == 0
                             and call('HEXISTS', META, 'begun') == 0 then
        return META
    end
    return nil
end

-- The user may lack permission for some of this script. Redis would stop it half way.
local function find_forbidden()
    if not redis.acl_check_cmd then return nil end -- before Redis 7, there's no way to know
    for _, one in ipairs({'HSET', 'HGET', 'HMGET', 'HGETALL', 'HDEL', 'HEXISTS', 'HINCRBY',
                          'HLEN',
                          'RPUSH', 'LPUSH', 'RPOP', 'LPOP', 'LLEN', 'ZADD', 'ZREM', 'ZRANGE',
                          'ZCARD', 'ZSCORE', 'ZPOPMIN', 'XADD', 'XRANGE', 'XDEL', 'DEL',
                          'EXISTS', 'TYPE', 'TIME'}) do
        local arguments = one == 'TIME' and {} or {META, '0', '0', '0', '0'}
        local known, may = pcall(redis.acl_check_cmd, one, unpack(arguments))
        if known and not may then return one end
    end
    return nil
end

local function make_crawl(settings)
    call('HSET', META, 'format', FORMAT, 'settings', ARGV[3], unpack(settings))
    for _, name in ipairs(COUNTERS) do call('HSET', META, name, '0') end
    local time = call('TIME')
    call('HSET', META, 'seen', int(tonumber(time[1]) * 1000000 + tonumber(time[2])))
    for i = 0, tonumber(ARGV[9]) - 1 do call('DEL', key('outbox:' .. i)) end
end

local operations = {}

-- look FORMAT SETTINGS...: would `open` succeed with the same arguments? Writes nothing.
-- -> {"ok"} or {"settings", theirs}
function operations.look()
    local foreign = find_foreign()
    if foreign then
        return redis.error_reply('FOREIGN ' .. foreign
                                 .. ' is there, and is no crawl of stage3')
    end
    local forbidden = find_forbidden()
    if forbidden then
        return redis.error_reply('NOPERM this user may not call ' .. forbidden)
    end
    local version = read_meta() or FORMAT
    if version ~= ARGV[2] then
        return redis.error_reply('FORMAT the crawl has format ' .. version .. ', and not '
                                 .. ARGV[2])
    end
    local half = find_half()
    if half then return half end
    if M.format and M.settings ~= ARGV[3] then return {'settings', M.settings} end
    return {'ok'}
end

-- open FORMAT SETTINGS LEASE DELAY MAX_PER_HOST MAX_PAGES MAX_LOST SERVERS RULES ORDER
--      FOREIGN_DELAY REFUSED_TIMEOUT NONCE NAME OLD_SESSION N CHUNK*N
-- Creates the crawl if there is none, puts the roots in, begins a session. Times are in
-- microseconds. NONCE: random, in case Redis forgets what it has said. OLD_SESSION: this
-- process's last one, now given up, or empty.
-- -> {"ok", session, state, unfinished...} or {"settings", theirs}
function operations.open()
    local refusal = operations.look()
    if refusal[1] ~= 'ok' then return refusal end
    begin_call()
    if not M.format then
        make_crawl({'lease', ARGV[4], 'delay', ARGV[5], 'max_per_host', ARGV[6],
                    'max_pages', ARGV[7], 'max_lost', ARGV[8], 'servers', ARGV[9],
                    'rules', ARGV[10], 'order', ARGV[11], 'foreign_delay', ARGV[12],
                    'refused_timeout', ARGV[13], 'state', 'running', 'trial', ''})
        read_meta()
    end
    tick()
    if call('ZSCORE', SESSIONS, ARGV[16]) then end_session(ARGV[16], false) end
    reclaim()
    for i = 18, 17 + tonumber(ARGV[17]) do meet_text(ARGV[i], '-') end
    M.new_session = M.new_session + 1
    local session = int(M.new_session) .. '-' .. ARGV[14]
    call('HSET', key('session:' .. session), 'seq', '0', 'name', ARGV[15], 'done', '0')
    call('ZADD', SESSIONS, int(M.clock + M.lease), session)
    note('came', session, 0)
    settle()
    write_hosts()
    note_state()
    write_meta()
    return {'ok', session, unpack(summary())}
end

local function on_trial(session) return M.trial == session and '1' or '0' end

-- This call has the same number as the last one, whose answer was lost. Nothing changes;
-- what was leased under that number is returned again.
local function say_again(session, seq)
    local reply = {'ok', '0', on_trial(session), unpack(summary())}
    local all = call('HGETALL', key('held:' .. session))
    for i = 1, #all, 2 do
        if match(all[i + 1], '^(%d+)') == seq then
            reply[#reply + 1] = all[i]
            reply[#reply + 1] = all[i + 1]
        end
    end
    return reply
end

local function take_results(session, i)
    local done = M.records
    while i <= #ARGV do i = results[ARGV[i]](session, i) end
    in_pieces('HDEL', key('held:' .. session), gone, 1)
    if M.records > done then
        call('HINCRBY', key('session:' .. session), 'done', M.records - done)
    end
end

-- `wanted`: "WANT AHEAD FOREIGN". -> items, and in how many milliseconds to ask again
local function lease_what_is_wanted(session, seq, wanted)
    local want, ahead, foreign = match(wanted, '^(%d+) (%d+) (%d+)$')
    want, ahead, foreign = tonumber(want), tonumber(ahead), tonumber(foreign)
    local room = M.max_pages > 0 and M.max_pages - M.counted - M.held
                 or want + ahead + foreign
    if call('LLEN', LINKS) > JAM then room = 0 end -- first these, then new pages
    local now = math.max(0, math.min(want, room))
    local leased, count = lease(session, seq, now, math.max(0, math.min(ahead, room - now)),
                                foreign, room)
    write_hosts()
    note_state()
    local all = #leased / 2
    if count >= want and all >= count + foreign then return leased, 0 end
    return leased, next_time(session, all < room, count < want, all < count + foreign)
end

-- [step]
-- step SESSION SEQ "WANT AHEAD FOREIGN" RESULT...
-- Takes the results, leases at most WANT items and AHEAD more, for workers that will want
-- them soon (FOREIGN: from foreign hosts), and renews the session's lease.
-- -> {"ok", wait in ms, on trial, state, unfinished..., (URL HELD)...}
-- or {"expired"}: others have what it held.
function operations.step()
    local session, seq = ARGV[2], ARGV[3]
    local last = tonumber(call('HGET', key('session:' .. session), 'seq') or -2)
    local number = tonumber(seq)
    if number ~= last and number ~= last + 1 then return {'expired'} end
    call('ZADD', SESSIONS, int(M.clock + M.lease), session)
    if number == last then return say_again(session, seq) end
    call('HSET', key('session:' .. session), 'seq', seq)
    take_results(session, 5)
    put_links_in()
    put_checks_in()
    reclaim()
    unpark()
    settle()
    local leased, wait = lease_what_is_wanted(session, seq, ARGV[4])
    return append({'ok', int(wait), on_trial(session), unpack(summary())}, leased)
end
-- [/step]

-- close SESSION: gives back what the session holds, and ends it.
function operations.close()
    if not call('ZSCORE', SESSIONS, ARGV[2]) then return {'expired', unpack(summary())} end
    end_session(ARGV[2], false)
    reclaim() -- in case this is the last process
    settle()
    write_hosts()
    note_state()
    return {'ok', unpack(summary())}
end

-- report SESSION: may it write the report? Only one may. -> the session that may
function operations.report()
    if M.reporter then return M.reporter end
    call('HSET', META, 'reporter', ARGV[2])
    return ARGV[2]
end

-- retry: what was given up becomes work again, and its records are withdrawn. The crawl isn't
-- over any more, so there will be another report.
function operations.retry()
    local all = call('HGETALL', GIVEN_UP)
    for i = 1, #all, 2 do
        local id, item = match(all[i + 1], '^(%S+) (.*)$')
        call('XDEL', RECORDS, id)
        call('HSET', URLS, all[i], 'q' .. sub(call('HGET', URLS, all[i]), 2))
        call('ZADD', SUSPECTS, int(M.clock), item)
        if match(item, ' f%a+$') then M.to_follow = M.to_follow + 1 end
    end
    local count = #all / 2
    call('DEL', GIVEN_UP)
    call('HDEL', META, 'reporter')
    for name, change in pairs({records = -1, counted = -1, dead = -1, given_up = -1,
                               retried = 1, unfinished = 1, created = 1}) do
        M[name] = M[name] + change * count
    end
    M.over = 0
    note_state()
    return summary()
end

-- ---- Several servers ----
-- Each server has its own hosts. Links to hosts of other servers go into an outbox, in the
-- same call that finishes their page. From there any process may carry them over. So they
-- arrive exactly once, and at every moment they count as unfinished somewhere.
-- But each server must save what it's told before it answers (appendonly yes, appendfsync
-- always): if one forgets what the others rely on, links are lost.

-- put SOURCE LAST NEW_LAST (PAGE CHUNK)...
-- What server SOURCE's outbox has after entry LAST, up to NEW_LAST.
-- -> the last entry that has come in
function operations.put()
    local last = call('HGET', key('inbox'), ARGV[2]) or '0-0'
    if last ~= ARGV[3] then return last end -- another process was quicker
    for i = 5, #ARGV, 2 do meet_text(ARGV[i + 1], ARGV[2] .. '.' .. ARGV[i]) end
    call('HSET', key('inbox'), ARGV[2], ARGV[4])
    settle()
    write_hosts()
    note_state()
    return ARGV[4]
end

-- sent SERVER LAST: what is in its outbox up to LAST has arrived.
function operations.sent()
    local entries = call('XRANGE', key('outbox:' .. ARGV[2]), '-', ARGV[3])
    for _, entry in ipairs(entries) do
        call('XDEL', key('outbox:' .. ARGV[2]), entry[1])
    end
    if #entries > 0 then call('HSET', key('outboxes'), 'sent:' .. ARGV[2], ARGV[3]) end
    M.unfinished, M.to_follow = M.unfinished - #entries, M.to_follow - #entries
    note_state()
    return summary()
end

-- finish CHECKING: nothing is left anywhere. The caller has asked all servers, twice, how many
-- URLs are unfinished and how many there have ever been. CHECKING: the least of what they say
-- about that. If it's 0, nothing is left to follow, so checking begins; else it's the end.
function operations.finish()
    if M.to_follow == 0 and ARGV[2] == '0' and M.checking == 0 then
        begin_to_check()
    elseif M.unfinished == 0 and ARGV[2] == '1' and M.checking == 1 then
        M.over = 1
    end
    note_state()
    return summary()
end

-- ---- The call ----

local operation = operations[ARGV[1]]
if not operation then return redis.error_reply('ERR no operation ' .. tostring(ARGV[1])) end
if ARGV[1] == 'look' or ARGV[1] == 'open' then return operation() end
if not read_meta() then return redis.error_reply('NOCRAWL there is no crawl ' .. META) end
if M.format ~= FORMAT then
    return redis.error_reply('FORMAT the crawl has format ' .. M.format)
end
local half = find_half()
if half then return half end
begin_call()
tick()
local reply = operation()
write_meta()
return reply

end -- of `run`
return run()
