conn = sqlite3.connect("../input/soccer/database.sqlite")
query = """
SELECT m.date, m.season, l.name AS league,
       h.team_long_name AS home, a.team_long_name AS away,
       m.home_team_goal, m.away_team_goal
FROM Match m
JOIN League l ON l.id = m.league_id
JOIN Team h ON h.team_api_id = m.home_team_api_id
JOIN Team a ON a.team_api_id = m.away_team_api_id
WHERE m.season >= '2012/2013'
ORDER BY m.date
"""
matches = pd.read_sql(query, conn, parse_dates=["date"])
matches.tail(10)
