-- ---- What is held ----

local function read_held(value)
    local seq, name, flag, epoch, depth, redirects, tries, refusals, lost, parent, why =
        match(value, '^(%d+) (%S+) (%S) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%a+)')
    return {seq = seq, host = name, flag = flag, epoch = epoch, depth = depth,
            redirects = redirects, tries = tries, refusals = refusals,
            lost = tonumber(lost), parent = parent, why = why}
end

-- (Of a host that hasn't ended.)
local function write_held(held)
    return table.concat({held.seq, held.host, held.flag, held.epoch, held.depth,
                         held.redirects, held.tries, held.refusals, int(held.lost),
                         held.parent, held.why}, ' ')
end

-- A delay counts from the moment a request begins. From the lease until then (or until it's
-- known that none will), a host with a delay is closed.
local function has_asked(h)
    if h.gate == TO_BEGIN then h.gate = OPEN end
    h.next = math.max(h.next, M.clock + delay_of(h))
    h.has_moved, h.is_changed = true, true
end

-- It's no longer held, so the host has room for another. `unasked`: the host was asked for
-- nothing, so no other request has to wait.
local function leave(held, unasked)
    local h = host(held.host)
    h.busy = h.busy - 1
    h.is_changed = true
    M.held = M.held - 1
    if held.flag == 'r' and h.gate == ASKING then
        h.gate = NO_RULES -- they aren't being asked for any more
    end
    if unasked then
        if held.flag == 'b' and h.gate == TO_BEGIN then h.gate = OPEN end
    elseif held.flag == 'r' or held.flag == 'b' then
        has_asked(h) -- it may have: there's no telling
    elseif held.flag == '-' and goes_one_by_one(h) then
        h.next, h.has_moved = math.max(h.next, M.clock + h.delay), true
    end
    return h
end

local function as_item(url, held)
    return table.concat({url, held.depth, held.redirects, held.tries, held.refusals,
                         int(held.lost), held.parent, held.why}, ' ')
end

-- An item that has had its turn has another. A suspect stays one.
local function come_back(name, item, lost)
    if lost >= M.max_lost then
        call('ZADD', SUSPECTS, int(M.clock), name .. ' ' .. item)
    else
        local h = host(name)
        h.back[#h.back + 1] = item
    end
end

-- As if it had never been taken out.
local function give_back(url, held)
    leave(held)
    come_back(held.host, as_item(url, held), held.lost)
end

local function park(url, held, time)
    local h = leave(held)
    if h.gate == ENDED then time = M.clock end
    call('ZADD', PARKED, int(time), held.host .. ' ' .. as_item(url, held))
end

local function unpark()
    local some = call('ZRANGE', PARKED, '-inf', int(M.clock), 'BYSCORE', 'LIMIT', 0, 100)
    if #some == 0 then return end
    call('ZREM', PARKED, unpack(some))
    for i = #some, 1, -1 do
        local name, item, lost =
            match(some[i], '^(%S+) (%S+ %d+ %d+ %d+ %d+ (%d+) %S+ %a+)$')
        come_back(name, item, tonumber(lost))
    end
end

-- ---- Sessions ----

local ONE_BY_ONE = 200000 -- microseconds between two of them; less if there are many

-- If a process dies that held only a suspect, that's evidence, but it may still be chance. If
-- a process dies every m seconds on average, a fetch of w seconds is hit with probability
-- w/m: 0.003 for 0.2 s and a minute. Two such deaths, 0.00001, are ENOUGH; and a URL must be
-- hit twice before to become a suspect at all. But if something kills all processes every 2 s,
-- and fetches take 0.5 s, w/m is 1/4. Then others die at about the same time, and the URL
-- can't have killed those. Such a death is VAGUE, and eight of them are needed: 0.00002.
local CLEAR, VAGUE, ENOUGH = 4, 1, 8

-- Did no other process die within two thirds of a lease before that one, or a third after?
-- `ended`: when its lease did. All that are alive have shown it less than half a lease ago.
local function died_alone(ended)
    local silent = call('ZRANGE', SESSIONS, 0, 0, 'WITHSCORES')[2]
    return ended - M.last_lost > M.lease * 2 / 3
           and not (silent and tonumber(silent) < M.clock + M.lease / 3)
end

-- What a lost process held comes back one URL at a time, because one of them may have killed
-- it; the next process that dies of that one shouldn't take the same innocents along. But a
-- process may also die for other reasons, so its death is evidence only against a suspect,
-- which is all that it held. See "Suspects", below. LOST counts: first deaths, then evidence.
local function take_over(url, held, wait, evidence)
    held.lost = held.lost + (held.lost < M.max_lost and 1 or evidence)
    M.lost = M.lost + 1
    if held.lost < M.max_lost + ENOUGH then
        park(url, held, M.clock + wait)
        return
    end
    leave(held)
    local id = take_page({url, held.depth, held.parent, 'failed', '', '',
                          'several processes have ended while they fetched only it', '', '',
                          '0', '0', held.tries, '0', sub(held.why, 2, 2), sub(held.why, 1, 1)},
                         {})
    held.lost = M.max_lost
    call('HSET', GIVEN_UP, url, id .. ' ' .. held.host .. ' ' .. as_item(url, held))
    M.given_up = M.given_up + 1
end

local function end_session(session, is_lost)
    local all = call('HGETALL', key('held:' .. session))
    local apart = math.min(ONE_BY_ONE, M.lease / math.max(1, #all / 2))
    local ended = tonumber(call('ZSCORE', SESSIONS, session))
    call('ZREM', SESSIONS, session)
    local evidence = died_alone(ended) and CLEAR or VAGUE
    if is_lost then M.last_lost = ended end
    if M.trial == session then M.trial = '' end
    note(is_lost and 'lost' or 'left', session, #all / 2)
    for i = 1, #all, 2 do
        local held = read_held(all[i + 1])
        if is_lost then
            take_over(all[i], held, (i - 1) / 2 * apart, evidence)
        else
            give_back(all[i], held)
        end
    end
    call('DEL', key('held:' .. session), key('session:' .. session))
end

-- [reclaim]
-- A session whose lease has ended is dead to us: others get what it held.
local function reclaim()
    local over = call('ZRANGE', SESSIONS, '-inf', '(' .. int(M.clock), 'BYSCORE',
                      'LIMIT', 0, 10)
    for _, session in ipairs(over) do end_session(session, true) end
end
-- [/reclaim]

-- ---- Leasing ----

-- One item leaves its queue for that session. `flag`: `r` if the process must first find out
-- what the host's robots.txt says; `b` if the host has a delay, so that we must be told when
-- the request begins; `e` if it has ended; otherwise `-`. `last`: what comes after the item.
local function hand_out(item, name, flag, epoch, last, seq, leased, lines)
    local space = find(item, ' ', 1, true)
    local url = sub(item, 1, space - 1)
    local held = seq .. ' ' .. name .. ' ' .. flag .. ' ' .. epoch .. sub(item, space) .. last
    lines[#lines + 1], leased[#leased + 1] = url, url
    lines[#lines + 1], leased[#leased + 1] = held, held
end

-- Leases at most `want` items of one host, whose turn it must be. `take` takes them from
-- where they wait.
local function lease_from(name, h, want, take, seq, leased, lines)
    local flag, last = '-', ''
    if h.gate == ENDED then
        flag, last = 'e', ' ' .. call('HGET', ENDED_HOSTS, name)
    elseif h.gate == NO_RULES then
        flag, want, h.gate = 'r', 1, ASKING
    elseif goes_step_by_step(h) then
        flag, want, h.gate = 'b', 1, TO_BEGIN
    else
        want = math.min(want, most_of(h) - h.busy)
    end
    if flag ~= 'r' then note_first(h) end
    local items, epoch = take(want), h.pace and h.pace.epoch or 0
    for _, item in ipairs(items) do
        hand_out(item, name, flag, epoch, last, seq, leased, lines)
    end
    h.busy = h.busy + #items
    h.is_changed, h.has_moved = true, true
    M.held = M.held + #items
    return #items
end

-- ---- Suspects ----
-- A URL with which max_lost processes have died is leased only alone: to a session that is
-- on trial. That gets nothing new until what it holds is done; then it gets the suspect, and
-- nothing else until it has reported on that. All others carry on as usual.

-- One that may be fetched now. Those whose hosts may not be asked yet have to wait.
local function find_suspect()
    for _, text in ipairs(call('ZRANGE', SUSPECTS, '-inf', int(M.clock), 'BYSCORE', 'LIMIT',
                               0, 10)) do
        local h = host(match(text, '^%S+'))
        local time = math.max(due(h), has_room(h) and 0 or M.clock + ONE_BY_ONE)
        if time <= M.clock then return text end
        call('ZADD', SUSPECTS, int(time), text)
    end
    return nil
end

-- What this session gets if it's on trial: a suspect if it holds nothing, or else nothing;
-- nil if it isn't on trial. A session is told that it's on trial before it's given anything:
-- its process may hold something that belongs to another server, which we can't know.
local function try_suspect(session, seq, want)
    if M.trial ~= session then
        if M.trial ~= '' or want < 1 or not find_suspect() then return nil end
        M.trial = session
        return {}
    end
    if call('HLEN', key('held:' .. session)) > 0 then return {} end
    local suspect = find_suspect()
    if not suspect then
        M.trial = ''
        return nil
    end
    local leased, lines = {}, {}
    if want > 0 then
        local name, item = match(suspect, '^(%S+) (.*)$')
        call('ZREM', SUSPECTS, suspect)
        lease_from(name, host(name), 1, function() return {item} end, seq, leased, lines)
        stand_in_line(name, host(name), M.clock)
        call('HSET', key('held:' .. session), unpack(lines))
    end
    return leased
end

-- ---- Leasing, in turn ----

-- Leases at most `want` items, from all hosts in turn: one that has just been asked goes
-- after all that are ready. (Their places differ by a microsecond each.) Then `ahead` more.
-- Appends them to `leased`, and what is to be written down to `lines`.
local function lease_in_turn(ready, seq, want, ahead, leased, lines)
    local place, goes_on = 0, true
    while want + ahead > 0 and goes_on do
        goes_on = false
        local names = call('ZRANGE', ready, '-inf', int(M.clock + place), 'BYSCORE',
                           'LIMIT', 0, want + ahead)
        local share = math.ceil((want + ahead) / math.max(#names, 1))
        for _, name in ipairs(names) do
            local h = host(name)
            local most = math.min(share, gives_ahead(h) and want + ahead or want)
            if most > 0 and due(h) <= M.clock then
                local count = lease_from(name, h, most,
                                         function(some) return pop(name, h, some) end,
                                         seq, leased, lines)
                ahead = ahead - math.max(0, count - want)
                want, place = math.max(0, want - count), place + 1
                goes_on = goes_on or count > 0
                stand_in_line(name, h, M.clock + place)
            end
        end
    end
end

-- At most `want` items, `ahead` more, and `foreign` of foreign hosts; `room` in all. The second
-- result: how many are not of foreign hosts.
local function lease(session, seq, want, ahead, foreign, room)
    local suspect = try_suspect(session, seq, want)
    if suspect then return suspect, #suspect / 2 end
    -- An item that waits in a process takes one of its host's places, and it's too late for
    -- anything newer, or shorter, to overtake it.
    if M.max_per_host > 0 or M.order ~= 'fifo' then ahead = 0 end
    local leased, lines = {}, {}
    lease_in_turn(READY, seq, want, ahead, leased, lines)
    local at_home = #leased / 2
    lease_in_turn(READY_FOREIGN, seq, math.max(0, math.min(foreign, room - at_home)), 0, leased,
                  lines)
    in_pieces('HSET', key('held:' .. session), lines, 2)
    return leased, at_home
end

-- In how many milliseconds there may be something to lease; -1: unknown. `may_more`: as far
-- as max_pages is concerned. `home`, `foreign`: for whom it's to be.
local function next_time(session, may_more, home, foreign)
    if call('EXISTS', LINKS) == 1 or M.checking == 1 and call('EXISTS', CHECKS) == 1 then
        return 0
    end
    if not may_more or M.trial == session then return -1 end
    local first
    local places = {PARKED}
    if home then places[#places + 1] = READY end
    if home and M.trial == '' then places[#places + 1] = SUSPECTS end
    if foreign then places[#places + 1] = READY_FOREIGN end
    for _, name in ipairs(places) do
        local one = call('ZRANGE', name, 0, 0, 'WITHSCORES')
        if one[2] and (not first or tonumber(one[2]) < first) then
            first = tonumber(one[2])
        end
    end
    if not first then return -1 end
    return math.max(0, math.ceil((first - M.clock) / 1000))
end

